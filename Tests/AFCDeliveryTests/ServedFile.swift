import Crypto

/// A file as a proper origin serves it: Range, If-Range and If-None-Match by RFC 9110, and a place to go wrong.
struct ServedFile: Sendable {
    var bytes: [UInt8]
    var tag = "\"v1\""
    var lastModified: String?
    /// Further fields of 200 and 206.
    var fields: [(name: String, value: String)] = []

    /// The SHA-256 in hexadecimal digits.
    var digest: String {
        SHA256.hash(data: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Bytes that no two places of have alike, so that a part in the wrong place is seen.
    static func numbers(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 16)
        var number = 0
        while bytes.count < count {
            bytes.append(contentsOf: "\(number) ".utf8)
            number += 1
        }
        return Array(bytes.prefix(count))
    }

    /// The answer; after so many bytes of its body the connection ends.
    func answer(_ request: FaultyOrigin.Request, cutAfter limit: Int? = nil) -> [FaultyOrigin.Piece] {
        if let known = request["if-none-match"], known == tag {
            return [.text(head(304, []))]
        }
        var start = 0
        if let asked = request.start, request["if-range"].map({ $0 == tag || $0 == lastModified }) ?? true {
            start = asked
            guard start < bytes.count else {
                return [.text(head(416, [("Content-Range", "bytes */\(bytes.count)"), ("Content-Length", "0")]))]
            }
        }
        let body = bytes[start...]
        var own = fields + [("Content-Length", "\(body.count)")]
        if start > 0 { own.append(("Content-Range", "bytes \(start)-\(bytes.count - 1)/\(bytes.count)")) }
        let head = FaultyOrigin.Piece.text(self.head(start > 0 ? 206 : 200, own))
        guard let limit, limit < body.count else { return [head, .bytes(Array(body))] }
        // The client forgets what it has not handed over yet when the connection ends.
        return [head, .bytes(Array(body.prefix(limit))), .arrived(start + limit), .close]
    }

    /// The answer to a request for the end or for one part, and to any other, as RFC 9110 has it.
    func rangedAnswer(_ request: FaultyOrigin.Request) -> [FaultyOrigin.Piece] {
        if let known = request["if-none-match"], known == tag { return [.text(head(304, []))] }
        guard let range = request.range(of: bytes.count), request["if-range"].map({ $0 == tag }) ?? true else {
            return [.text(head(200, fields + [("Content-Length", "\(bytes.count)")])), .bytes(bytes)]
        }
        let own = [("Content-Length", "\(range.count)"), ("Content-Range", Self.place(range, bytes.count))]
        return [.text(head(206, fields + own)), .bytes(Array(bytes[range]))]
    }

    /// The value of Content-Range.
    static func place(_ range: Range<Int>, _ total: Int) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"
    }

    func head(_ status: Int, _ fields: [(name: String, value: String)]) -> String {
        var all = [("ETag", tag)]
        if let lastModified { all.append(("Last-Modified", lastModified)) }
        return "HTTP/1.1 \(status) Test\r\n" + (all + fields).map { "\($0): \($1)\r\n" }.joined() + "\r\n"
    }
}
