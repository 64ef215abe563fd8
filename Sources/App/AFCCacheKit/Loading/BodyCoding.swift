internal import AFCHTTP
internal import AFCZip
internal import Foundation
internal import HTTPTypes

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The content codings that requests accept and that are removed from bodies (RFC 9110 §8.4.1), as `URLSession` does.
enum BodyCoding {
    /// The value of Accept-Encoding.
    static let accepted = "gzip, deflate"

    /// Returns the body without its content coding.
    ///
    /// - Parameters:
    ///   - data: The body as it was received.
    ///   - fields: The fields of the response.
    ///   - limit: The most bytes of the result.
    /// - Returns: The decoded body; the body itself if its coding isn't one of those accepted.
    /// - Throws: `URLError` if the body isn't what its coding says, or too large.
    static func decode(_ data: Data, _ fields: HTTPFields, upTo limit: Int) throws -> Data {
        let names = fields[values: .contentEncoding].flatMap { FieldText.list($0) }.map { $0.lowercased() }
            .filter { $0 != "identity" }
        guard names.count == 1, let name = names.first, !data.isEmpty else { return data }
        switch name {
        case "gzip", "x-gzip": return try inflate(data, members: true, upTo: limit)
        // Some servers send deflate without its zlib wrapping.
        case "deflate": return try inflate(data, members: false, upTo: limit)
        default: return data
        }
    }

    private static func inflate(_ data: Data, members: Bool, upTo limit: Int) throws -> Data {
        var decoded = Data()
        let first = data.first ?? 0
        let isWrapped = members || (first & 0x0F == 8 && first >> 4 <= 7)
        var inflater = try isWrapped ? Inflater(isWrapped: true) : Inflater()
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { output.deallocate() }
        try data.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                inflater.give(UnsafeMutableRawBufferPointer(mutating: rest))
                var count = output.count
                while count == output.count, !inflater.isFinished {
                    guard let filled = inflater.fill(output) else { throw URLError(.cannotDecodeContentData) }
                    count = filled
                    guard decoded.count + count <= limit else { throw URLError(.dataLengthExceedsMaximum) }
                    decoded.append(contentsOf: output[..<count])
                }
                guard inflater.isFinished else { throw URLError(.cannotDecodeContentData) }
                rest = UnsafeRawBufferPointer(rebasing: rest.suffix(inflater.unused))
                // A gzip body may have several members (RFC 1952 §2.2); other bytes after the end are ignored.
                guard members, rest.first == 0x1F else { break }
                inflater.reset()
            }
        }
        return decoded
    }
}
