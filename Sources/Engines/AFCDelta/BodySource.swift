public import AFCFiles
internal import AFCText
public import AFCZip
internal import Crypto

/// The first 8 bytes of a body's SHA-256, with which a patch names the bodies that it needs.
///
/// A source that is mistaken about a body does no harm, since everything that is made of it is hashed.
public struct BodyID: Hashable, Sendable {
    /// The bytes as a number, the first one highest.
    public let number: UInt64

    /// Creates the identifier of a body with a SHA-256; nil unless there are at least 8 bytes.
    public init?(_ sha256: [UInt8]) {
        guard sha256.count >= 8 else { return nil }
        number = sha256.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Creates the identifier from at least 16 hexadecimal digits, of which the first 16 count.
    init?(digits: Substring) {
        guard digits.utf8.count >= 16, let bytes = Hexadecimal.bytes(String(digits.prefix(16))) else { return nil }
        self.init(bytes)
    }

    /// The 16 hexadecimal digits.
    var text: String { Hexadecimal.text((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }) }
}

/// Where a patch finds the bodies of the old package.
public protocol BodySource: Sendable {
    /// Returns a body; nil if it isn't there.
    ///
    /// - Parameter id: The identifier of the body.
    /// - Returns: The body, which is hashed before it is used.
    func body(_ id: BodyID) -> HeldBody?
}

/// A body of the old package.
public enum HeldBody: Sendable {
    /// A file that holds exactly the body.
    case file(OpenFile)
    /// A member of an archive.
    case member(ZipReader, ZipMember)

    /// The size of the body in bytes; nil if the file can't be read.
    var size: Int64? {
        switch self {
        case .file(let file): try? file.size()
        case .member(_, let member): member.uncompressedSize
        }
    }

    /// Reads the body into memory; nil if it can't be read.
    func bytes() -> [UInt8]? {
        switch self {
        case .file(let file):
            guard let size = try? file.size() else { return nil }
            return try? file.bytes(Int(size), at: 0)
        case .member(let archive, let member):
            return try? archive.read(member, maxBytes: Int(member.uncompressedSize))
        }
    }

    /// Reads the body piece by piece; false if it can't be read.
    func forEachPiece(_ body: (UnsafeRawBufferPointer) throws(ZipError) -> Void) throws(ZipError) -> Bool {
        switch self {
        case .file(let file):
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
            defer { buffer.deallocate() }
            var offset: Int64 = 0
            while true {
                guard let count = try? file.read(into: buffer, at: offset) else { return false }
                guard count > 0 else { return true }
                try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                offset += Int64(count)
            }
        case .member(let archive, let member):
            try archive.forEachChunk(of: member, body)
            return true
        }
    }
}
