internal import AFCFiles
internal import AFCText
internal import AFCZip

/// A stream of bytes as elements of a page: each block is deflated (RFC 1951) and in base64, in an element of its own.
///
/// A text of any size in one element isn't possible, since browsers have limits for it, and a part can be read without the
/// others.
struct BlockStream: ~Copyable {
    /// The bytes of a block; only the last one is shorter.
    static let blockSize = 512 << 10

    /// The number of bytes that were appended.
    private(set) var size: Int64 = 0
    private let name: Character
    private let write: (String) throws -> Void
    private let deflater: WholeDeflater
    private var buffer: [UInt8] = []
    private var count = 0

    /// Begins a stream.
    ///
    /// - Parameters:
    ///   - name: The letter with which the identifiers of its elements begin; their number follows.
    ///   - write: Writes an element.
    /// - Throws: `ZipError` if there is not enough memory.
    init(_ name: Character, write: @escaping (String) throws -> Void) throws {
        (self.name, self.write) = (name, write)
        deflater = try WholeDeflater(level: 9)
        buffer.reserveCapacity(Self.blockSize)
    }

    /// Appends bytes.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
        size += Int64(bytes.count)
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.blockSize - buffer.count)
            buffer += part
            rest = rest.dropFirst(part.count)
            if buffer.count == Self.blockSize { try flush() }
        }
    }

    /// Appends a text.
    mutating func append(_ text: String) throws {
        var text = text
        try text.withUTF8 { try append(UnsafeRawBufferPointer($0)) }
    }

    /// Writes the rest.
    mutating func flush() throws {
        guard !buffer.isEmpty else { return }
        let data = deflater.compress(buffer).data
        try write("<script type=x id=\(name)\(count)>\(Base64.encode(data))</script>\n")
        count += 1
        buffer.removeAll(keepingCapacity: true)
    }
}
