internal import AFCPackageFormat
internal import AFCServer
internal import AFCURL
internal import HTTPTypes
internal import NIOCore

extension ServerRequest {
    /// Reads the body, which can then be iterated several times, and returns the URL that stands for method and body.
    ///
    /// - Parameter url: The URL of the request.
    /// - Returns: The URL under which a package keeps the answer; nil if the body is too large or of unknown length, and then
    ///   it isn't read.
    /// - Throws: The error that ends the body early.
    mutating func readMethodURL(_ url: WebURL) async throws -> WebURL? {
        guard let length = body.length, length <= Int64(MethodURL.bodyLimit) else { return nil }
        var name = MethodURL(url, method: method, contentType: fields[.contentType])
        var bytes = ByteBuffer()
        for try await piece in body {
            piece.withUnsafeReadableBytes { name.append($0) }
            bytes.writeImmutableBuffer(piece)
        }
        body = RequestBody(bytes)
        return name.url
    }
}
