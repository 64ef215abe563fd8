internal import AFCCoding
internal import AFCZip
internal import Foundation
internal import HTTPTypes

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The removal of content codings from bodies (RFC 9110 §8.4.1), as in `URLSession`.
enum BodyCoding {
    /// The value of Accept-Encoding.
    static let accepted = ContentCoding.accepted

    /// Returns the codings of a body, in the order in which they were applied; none if one of them can't be removed.
    static func codings(_ fields: HTTPFields) -> [ContentCoding] {
        do throws(ContentCoding.Unsupported) { return try ContentCoding.named(by: fields) } catch { return [] }
    }

    /// Returns the body without its content coding.
    ///
    /// - Parameters:
    ///   - data: The body as it was received.
    ///   - fields: The fields of the response.
    ///   - limit: The most bytes of the result.
    /// - Returns: The decoded body; the body itself if its coding can't be removed.
    /// - Throws: `URLError` if the body isn't what its coding says, or too large.
    static func decode(_ data: Data, _ fields: HTTPFields, upTo limit: Int) throws -> Data {
        let codings = codings(fields)
        guard !codings.isEmpty, !data.isEmpty else { return data }
        var decoder = try ContentDecoder(codings, maxExpansion: .max)
        var decoded = Data()
        do {
            _ = try data.withUnsafeBytes { bytes in
                try decoder.decode(bytes) { piece in
                    guard decoded.count + piece.count <= limit else { throw URLError(.dataLengthExceedsMaximum) }
                    decoded.append(contentsOf: piece)
                    return true
                }
            }
            try decoder.finish()
        } catch is ContentDecoder.Failure {
            throw URLError(.cannotDecodeContentData)
        }
        return decoded
    }
}
