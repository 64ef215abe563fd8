internal import AFCHTTP
public import AFCText
public import AFCURL
internal import Crypto

/// The way to buckets that speak the API of S3: where they are, and the credentials for private ones.
///
/// Requests are signed with AWS Signature Version 4
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html). Pure; credentials are never printed.
public struct BucketAccess: Sendable, Equatable, CustomStringConvertible {
    /// The beginning of a bucket's URLs.
    public static let prefix = "s3://"

    private struct Key: Equatable {
        var id: String
        var secret: String
        var token: String?
    }

    private var key: Key?
    private var region = "us-east-1"
    private var endpoint: WebURL?

    /// Reads the variables that the AWS command line and others read: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`,
    /// `AWS_SESSION_TOKEN`, `AWS_REGION`, `AWS_DEFAULT_REGION`, `AWS_ENDPOINT_URL_S3` and `AWS_ENDPOINT_URL`.
    ///
    /// - Parameter value: Returns the value of a variable.
    /// - Throws: ``DeliveryError`` with the code `badURL` if a variable is malformed.
    public init(_ value: (String) -> String?) throws(DeliveryError) {
        func first(_ names: String...) -> (name: String, value: String)? {
            for name in names {
                if let text = value(name), !text.isEmpty { return (name, text) }
            }
            return nil
        }
        let (id, secret) = (first("AWS_ACCESS_KEY_ID"), first("AWS_SECRET_ACCESS_KEY"))
        if id == nil, secret != nil {
            throw Self.malformed("AWS_ACCESS_KEY_ID", "the variable is missing, although AWS_SECRET_ACCESS_KEY is set")
        }
        if id != nil, secret == nil {
            throw Self.malformed("AWS_SECRET_ACCESS_KEY", "the variable is missing, although AWS_ACCESS_KEY_ID is set")
        }
        if let id, let secret {
            key = Key(id: id.value, secret: secret.value, token: first("AWS_SESSION_TOKEN")?.value)
            let texts = [id, secret, first("AWS_SESSION_TOKEN")].compactMap { $0 }
            if let bad = texts.first(where: { !$0.value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }) {
                throw Self.malformed(bad.name, "the variable has characters that no credential has")
            }
        }
        if let found = first("AWS_REGION", "AWS_DEFAULT_REGION") {
            guard found.value.utf8.allSatisfy({ PercentDecoding.isUnreserved($0) }) else {
                throw Self.malformed(found.name, "the variable is not the name of a region")
            }
            region = found.value
        }
        if let found = first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") {
            guard let url = try? WebURL(found.value), url.isHTTP, !url.hasCredentials, url.query == nil else {
                throw Self.malformed(found.name, "the variable must be a URL without a query")
            }
            endpoint = url
        }
    }

    private static func malformed(_ name: String, _ message: String) -> DeliveryError {
        DeliveryError(.badURL, subject: name, message: message)
    }

    /// True if requests are signed.
    var isSigning: Bool { key != nil }

    /// Says whether there are credentials, without showing them.
    public var description: String { key == nil ? "public buckets" : "private buckets" }

    /// Returns the URL of an object.
    ///
    /// - Parameter text: `s3://BUCKET/KEY`; the key is taken as it is written.
    /// - Returns: The URL at the endpoint, or at Amazon's.
    /// - Throws: ``DeliveryError`` with the code `badURL`.
    public func url(_ text: String) throws(DeliveryError) -> WebURL {
        let (bucket, key) = try Self.parts(text)
        guard let url = try? WebURL("\(root(of: bucket))/\(Self.encodedPath(key.utf8))") else {
            throw Self.malformed(text, "this is not the URL of an object")
        }
        return url
    }

    /// Returns the URL at which a bucket's objects are listed, and the key.
    ///
    /// - Parameter text: `s3://BUCKET/KEY`.
    /// - Returns: The URL, and the key without its encoding.
    /// - Throws: ``DeliveryError`` with the code `badURL`.
    func list(_ text: String) throws(DeliveryError) -> (url: WebURL, key: String) {
        let (bucket, key) = try Self.parts(text)
        guard let url = try? WebURL(root(of: bucket)) else {
            throw Self.malformed(text, "this is not the URL of a bucket")
        }
        return (url, String(key))
    }

    private static func parts(_ text: String) throws(DeliveryError) -> (bucket: Substring, key: Substring) {
        let rest = text.dropFirst(prefix.count)
        let bucket = rest.prefix { $0 != "/" }
        let key = rest.dropFirst(bucket.count + 1)
        let isBucket =
            (3...63).contains(bucket.utf8.count) && bucket == bucket.lowercased()
            && bucket.utf8.allSatisfy { PercentDecoding.isUnreserved($0) }
        guard text.hasPrefix(prefix), !bucket.isEmpty, !key.isEmpty else {
            throw malformed(text, "write s3://BUCKET/KEY")
        }
        guard isBucket else {
            throw malformed(text, "a bucket's name has 3 to 63 lower-case letters, digits, '-', '.' and '_'")
        }
        // A URL can't name such an object.
        guard !key.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else {
            throw malformed(text, "a key with '.' or '..' between slashes isn't supported; rename the object")
        }
        return (bucket, key)
    }

    /// Returns the address of a bucket, without a slash at its end.
    private func root(of bucket: Substring) -> String {
        if let endpoint {
            // Some services have their API below a path.
            "\(endpoint.description.trimmedSlash)/\(bucket)"
        } else if bucket.contains(".") {
            // The certificate of Amazon's hosts covers one label only.
            "https://s3.\(region).amazonaws.com/\(bucket)"
        } else {
            "https://\(bucket).s3.\(region).amazonaws.com"
        }
    }

    /// Returns the fields that sign a request; none for a public bucket.
    ///
    /// - Parameters:
    ///   - url: The object.
    ///   - fields: Fields to sign as well, with names in lower case.
    ///   - method: The method.
    ///   - body: The body.
    ///   - time: The time of the request, from which the server's clock may differ by 15 minutes.
    /// - Returns: The names and values.
    func fields(
        for url: WebURL,
        _ fields: [(name: String, value: String)] = [],
        method: String = "GET",
        body: [UInt8] = [],
        at time: Timestamp
    ) -> [(name: String, value: String)] {
        guard let key else { return [] }
        let date = time.iso8601.filter { $0 != "-" && $0 != ":" }
        let payload = Hexadecimal.text(SHA256.hash(data: body))
        var own = [(name: "x-amz-content-sha256", value: payload), (name: "x-amz-date", value: date)]
        if let token = key.token { own.append((name: "x-amz-security-token", value: token)) }
        let signed = (fields + own + [(name: "host", value: url.authority)]).sorted { $0.name < $1.name }
        let names = signed.map(\.name).joined(separator: ";")
        let request =
            [
                method, Self.encodedPath(PercentDecoding.decode(url.path.utf8)), Self.canonical(url.query ?? ""),
                signed.map { "\($0.name):\($0.value)\n" }.joined(), names, payload,
            ]
            .joined(separator: "\n")
        let scope = "\(date.prefix(8))/\(region)/s3/aws4_request"
        let text = "AWS4-HMAC-SHA256\n\(date)\n\(scope)\n\(Hexadecimal.text(SHA256.hash(data: Array(request.utf8))))"
        var code = Array("AWS4\(key.secret)".utf8)
        for part in [String(date.prefix(8)), region, "s3", "aws4_request", text] {
            code = Array(HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: SymmetricKey(data: code)))
        }
        let authorization =
            "AWS4-HMAC-SHA256 Credential=\(key.id)/\(scope),SignedHeaders=\(names),Signature=\(Hexadecimal.text(code))"
        return own + [(name: "authorization", value: authorization)]
    }

    private static func canonical(_ query: String) -> String {
        query.split(separator: "&").map { parameter in
            let name = parameter.prefix { $0 != "=" }
            let value = parameter.dropFirst(name.count + 1)
            return [name, value].map { PercentEncodeSet.reserved.encode(PercentDecoding.decode($0.utf8)) }
                .joined(separator: "=")
        }
        .sorted().joined(separator: "&")
    }

    /// Returns a path with each of its parts encoded as the signature wants it.
    private static func encodedPath(_ bytes: some Sequence<UInt8>) -> String {
        Array(bytes).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { PercentEncodeSet.reserved.encode($0) }.joined(separator: "/")
    }
}

extension String {
    /// The text without a slash at its end.
    fileprivate var trimmedSlash: Substring { hasSuffix("/") ? dropLast() : self[...] }
}
