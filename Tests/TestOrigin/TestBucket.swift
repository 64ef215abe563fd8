/// A bucket that speaks S3's API, with places to go wrong.
public struct TestBucket: Sendable {
    /// The objects by their keys.
    public var objects: [String: [UInt8]] = [:]
    /// Whether If-None-Match is obeyed.
    public var obeysConditions = true
    /// How many of the next objects are created, but not answered.
    public var lostAnswers = 0
    /// How many of the next requests are answered with 503.
    public var failures = 0
    /// The most keys in one answer.
    public var pageSize = 1000

    /// Creates an empty bucket.
    public init() {}

    mutating func answer(_ request: TestOrigin.Request, _ rest: String) -> TestOrigin.Answer {
        guard failures == 0 else {
            failures -= 1
            return TestOrigin.Answer(503)
        }
        if rest.hasPrefix("?") { return list(rest.dropFirst()) }
        let key = String(rest.dropFirst())
        switch request.method {
        case "GET", "HEAD":
            guard let bytes = objects[key] else {
                return TestOrigin.Answer(
                    404,
                    [],
                    body: request.method == "GET" ? Array("<Code>NoSuchKey</Code>".utf8) : []
                )
            }
            let length = [(name: "Content-Length", value: String(bytes.count))]
            return TestOrigin.Answer(200, length, body: request.method == "GET" ? bytes : [])
        case "PUT":
            guard !obeysConditions || request.value("if-none-match") != "*" || objects[key] == nil else {
                return TestOrigin.Answer(412)
            }
            objects[key] = request.bytes
            guard lostAnswers == 0 else {
                lostAnswers -= 1
                return .reset
            }
            return TestOrigin.Answer(200)
        case "DELETE":
            objects[key] = nil
            return TestOrigin.Answer(204)
        default: return TestOrigin.Answer(405)
        }
    }

    /// Lists keys, or what they have in common before the next delimiter.
    private func list(_ query: Substring) -> TestOrigin.Answer {
        var parameters: [Substring: String] = [:]
        for parameter in query.split(separator: "&") {
            let name = parameter.prefix { $0 != "=" }
            parameters[name] = String(parameter.dropFirst(name.count + 1)).replacing("%2F", with: "/")
        }
        let prefix = parameters["prefix"] ?? ""
        var items: Set<String> = []
        for key in objects.keys where key.hasPrefix(prefix) {
            let end = parameters["delimiter"].flatMap { key.dropFirst(prefix.count).firstRange(of: $0)?.upperBound }
            items.insert(
                end.map { "<CommonPrefixes><Prefix>\(key[..<$0])</Prefix></CommonPrefixes>" }
                    ?? "<Contents><Key>\(key)</Key></Contents>"
            )
        }
        let rest = items.sorted().drop { $0 <= parameters["continuation-token"].flatMap { Self.decoded($0) } ?? "" }
        let page = rest.prefix(pageSize)
        let isLast = page.count == rest.count
        let next = isLast ? "" : "<NextContinuationToken>\(Self.encoded(page.last ?? ""))</NextContinuationToken>"
        let text = "<ListBucketResult><IsTruncated>\(!isLast)</IsTruncated>\(page.joined())\(next)</ListBucketResult>"
        return TestOrigin.Answer(200, [("Content-Type", "application/xml")], body: Array(text.utf8))
    }

    private static func encoded(_ text: String) -> String { text.utf8.map { String($0) }.joined(separator: "-") }
    private static func decoded(_ text: String) -> String {
        String(decoding: text.split(separator: "-").compactMap { UInt8($0) }, as: UTF8.self)
    }
}
