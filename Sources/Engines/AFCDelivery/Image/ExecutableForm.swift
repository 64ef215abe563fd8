/// The form of a program for Linux: the processor that it is for, and the program that loads it (ELF, System V ABI).
///
/// Pure.
struct ExecutableForm: Equatable {
    /// The bytes at the beginning of a file that are enough.
    static let beginning = 64 << 10
    private static let magic: [UInt8] = [0x7F, 0x45, 0x4C, 0x46]
    /// The processors, with their names in images (Go's GOARCH).
    private static let processors: [Int: String] = [62: "amd64", 183: "arm64"]

    /// What is wrong with a program.
    struct Problem: Error, Equatable {
        /// A sentence; lower case, no full stop.
        var message: String
    }

    /// The name of the processor in images.
    var architecture: String
    /// The path of the program that loads it and its libraries; nil if it needs none.
    var loader: String?

    /// Reads the headers of a program.
    ///
    /// - Parameter bytes: The beginning of the file, ``beginning`` bytes or all of them.
    /// - Throws: ``Problem``.
    init(_ bytes: [UInt8]) throws(Problem) {
        func number(_ place: Int, _ count: Int) throws(Problem) -> Int {
            guard place >= 0, place <= bytes.count - count else { throw Self.malformed }
            var value: UInt64 = 0
            for index in (0..<count).reversed() { value = value << 8 | UInt64(bytes[place + index]) }
            guard let value = Int(exactly: value) else { throw Self.malformed }
            return value
        }
        guard bytes.starts(with: Self.magic) else {
            throw Problem(message: "this is not a program for Linux (an ELF file)")
        }
        // 64 bits, the least significant byte first.
        guard try number(4, 1) == 2, try number(5, 1) == 1, let name = Self.processors[try number(18, 2)] else {
            throw Problem(message: "this program is for another processor than x86-64 and 64-bit Arm")
        }
        guard [2, 3].contains(try number(16, 2)) else { throw Problem(message: "this ELF file is not a program") }
        architecture = name
        let (table, size, count) = (try number(32, 8), try number(54, 2), try number(56, 2))
        guard size >= 56, table < bytes.count else { throw Self.malformed }
        for index in 0..<count {
            let header = table + index * size
            // The segment that names the loader.
            guard try number(header, 4) == 3 else { continue }
            let (place, length) = (try number(header + 8, 8), try number(header + 32, 8))
            guard length > 1, length <= 4096, place < bytes.count, place + length <= bytes.count else {
                throw Self.malformed
            }
            let path = bytes[place..<place + length].prefix { $0 != 0 }
            guard let text = String(validating: path, as: UTF8.self), text.hasPrefix("/"), !text.hasSuffix("/") else {
                throw Self.malformed
            }
            loader = text
            return
        }
    }

    private static let malformed = Problem(message: "the headers of this program are damaged")
}
