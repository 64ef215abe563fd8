import Testing

@testable import AFCExport

/// The words of pages, each with a number.
struct WordTableTests {
    private static func number(_ word: [UInt8], _ table: inout WordTable) -> Int {
        word.withUnsafeBufferPointer { table.number(of: $0) }
    }

    @Test func `words have the numbers of a dictionary`() {
        var random = SystemRandomNumberGenerator()
        var table = WordTable()
        var known: [[UInt8]: Int] = [:]
        var words: [[UInt8]] = []
        for _ in 0..<20_000 {
            // Few letters, so that many words are alike, and zeros, which could pass for the end.
            let word = (0..<Int.random(in: 1...40, using: &random)).map { _ in UInt8.random(in: 0...2, using: &random) }
            let isNew = known[word] == nil
            if isNew {
                known[word] = words.count
                words.append(word)
            }
            #expect(Self.number(word, &table) == known[word])
        }
        #expect(table.count == words.count)
        #expect(words.indices.allSatisfy { Array(table[$0]) == words[$0] })
        var all: [[UInt8]] = []
        table.forEach { number, word in
            #expect(number == all.count)
            all.append(Array(word))
        }
        #expect(all == words)
    }

    @Test(arguments: [0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48])
    func `words that differ in their length or last byte differ`(_ length: Int) {
        var table = WordTable()
        let word = [UInt8](repeating: 0, count: length)
        #expect(Self.number(word, &table) == 0)
        #expect(Self.number(word + [0], &table) == 1)
        #expect(Self.number(word + [1], &table) == 2)
        #expect([word, word + [0], word + [1]].map { Self.number($0, &table) } == [0, 1, 2])
    }
}
