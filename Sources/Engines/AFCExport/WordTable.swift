/// Numbers words in the order in which they are met first; a dictionary of arrays would take several times as long.
struct WordTable: Sendable {
    /// The bytes of all words, one after the other, and where each ends.
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    /// The hash of each word.
    private var hashes: [UInt64] = []
    /// The number of the word in each place, plus 1; 0 for a free one.
    ///
    /// There are as many places as a power of two.
    private var places: [UInt32] = Array(repeating: 0, count: 256)

    /// Numbers that nobody else knows, so that no page can have words that share a place on purpose.
    private static let secrets = (UInt64.random(in: 0 ... .max) | 1, UInt64.random(in: 0 ... .max) | 1)

    /// The number of words.
    var count: Int { ends.count }

    /// Returns the bytes of a word.
    subscript(_ number: Int) -> ArraySlice<UInt8> { bytes[(number > 0 ? ends[number - 1] : 0)..<ends[number]] }

    /// Calls a closure with each word's number and bytes, in order.
    func forEach(_ body: (Int, UnsafeBufferPointer<UInt8>) -> Void) {
        bytes.withUnsafeBufferPointer { bytes in
            var start = 0
            for (number, end) in ends.enumerated() {
                body(number, UnsafeBufferPointer(rebasing: bytes[start..<end]))
                start = end
            }
        }
    }

    /// Returns the number of a word, which is added if it is new.
    mutating func number(of word: UnsafeBufferPointer<UInt8>) -> Int {
        let hash = Self.hash(word)
        var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
        while places[place] != 0 {
            let number = Int(places[place]) - 1
            if hashes[number] == hash, isEqual(number, word) { return number }
            place = (place + 1) & (places.count - 1)
        }
        let number = count
        bytes += word
        ends.append(bytes.count)
        hashes.append(hash)
        places[place] = UInt32(number + 1)
        if 2 * count > places.count { grow() }
        return number
    }

    private func isEqual(_ number: Int, _ word: UnsafeBufferPointer<UInt8>) -> Bool {
        let start = number > 0 ? ends[number - 1] : 0
        guard ends[number] - start == word.count else { return false }
        for index in word.indices where bytes[start + index] != word[index] { return false }
        return true
    }

    private mutating func grow() {
        places = Array(repeating: 0, count: 4 * places.count)
        for (number, hash) in hashes.enumerated() {
            var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
            while places[place] != 0 { place = (place + 1) & (places.count - 1) }
            places[place] = UInt32(number + 1)
        }
    }

    /// Returns a hash of a word: products of 16 bytes each with the secrets, folded to one half.
    private static func hash(_ word: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash = UInt64(word.count)
        var index = 0
        repeat {
            let first = word64(word, index) ^ secrets.0
            let second = word64(word, index + 8) ^ secrets.1 ^ hash
            let product = first.multipliedFullWidth(by: second)
            hash = product.high ^ product.low
            index += 16
        } while index < word.count
        return hash
    }

    /// Returns eight bytes of a word, with zeros for those after its end.
    private static func word64(_ word: UnsafeBufferPointer<UInt8>, _ index: Int) -> UInt64 {
        let raw = UnsafeRawBufferPointer(word)
        guard index + 8 > raw.count else { return raw.loadUnaligned(fromByteOffset: index, as: UInt64.self) }
        var value: UInt64 = 0
        for index in stride(from: raw.count - 1, through: index, by: -1) { value = value << 8 | UInt64(raw[index]) }
        return value
    }
}
