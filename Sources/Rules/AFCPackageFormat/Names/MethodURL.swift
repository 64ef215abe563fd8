internal import AFCText
public import AFCURL
internal import Crypto

/// The URL under which a package keeps the answer to a request with another method than GET.
///
/// It is the request's URL with parameters for the method and the body; see docs/reference/format.md. The bytes of the
/// body may arrive in pieces, and only a short body is kept in memory.
public struct MethodURL {
    /// The largest body of a request whose answer is packed, in bytes.
    public static let bodyLimit = 1 << 20
    /// The longest URL that contains the body itself, in bytes.
    private static let lengthLimit = 2048

    private let base: String
    private let isForm: Bool
    private var body: [UInt8] = []
    private var size = 0
    private var hash = SHA256()

    /// Begins the URL of a request.
    ///
    /// - Parameters:
    ///   - url: The request's URL.
    ///   - method: The method.
    ///   - contentType: The value of Content-Type; nil if there is none.
    public init(_ url: WebURL, method: String, contentType: String?) {
        base = "\(url)\(url.query == nil ? "?" : "&")__wb_method=\(method)"
        let essence = contentType?.prefix { $0 != ";" && $0 != " " }.lowercased()
        isForm = essence == "application/x-www-form-urlencoded"
    }

    /// Returns true if requests with a method may be packed under such a URL: all but GET and HEAD, which have their own
    /// URL, and CONNECT and TRACE, whose answers belong to a connection.
    public static func isUsed(for method: String) -> Bool {
        guard !["GET", "HEAD", "CONNECT", "TRACE"].contains(method), (1...32).contains(method.utf8.count) else {
            return false
        }
        return method.utf8.allSatisfy { isLetter($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }

    /// Adds bytes of the body.
    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        hash.update(bufferPointer: bytes)
        size += bytes.count
        if size <= Self.lengthLimit { body.append(contentsOf: bytes) } else { body = [] }
    }

    /// The URL for the bytes so far; nil if they are too many.
    public var url: WebURL? {
        guard size <= Self.bodyLimit else { return nil }
        guard size > 0 else { return try? WebURL(base) }
        if size <= Self.lengthLimit {
            let data =
                isForm && body.allSatisfy(Self.isPlain)
                ? String(decoding: body, as: UTF8.self) : "__wb_post_data=\(Base64.encode(body))"
            let text = "\(base)&\(data)"
            if text.utf8.count <= Self.lengthLimit { return try? WebURL(text) }
        }
        return try? WebURL("\(base)&__wb_post_sha256=\(Hexadecimal.text(hash.finalize()))")
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
    }

    /// Returns true for the bytes of a form that a URL's query keeps as they are.
    private static func isPlain(_ byte: UInt8) -> Bool {
        isLetter(byte) || byte &- UInt8(ascii: "0") < 10 || plainMarks.contains(byte)
    }

    private static let plainMarks = Set("-._~*+%&=".utf8)
}
