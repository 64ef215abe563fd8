internal import AFCCache
internal import AFCCaching
internal import AFCHTTP
internal import AFCResolver
internal import AFCURL
internal import Foundation
internal import HTTPTypes

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

extension URL {
    /// Creates Foundation's form of a URL.
    init(_ url: WebURL) {
        // The serialization of the URL Standard is a URI reference in ASCII; where Foundation's parser is stricter, it
        // encodes the characters that it doesn't accept.
        self =
            URL(string: url.description) ?? URL(string: url.description, encodingInvalidCharacters: true) ?? Self.none
    }

    private static let none = URL(fileURLWithPath: "/")
}

extension WebURL {
    /// Creates the form that the cache uses.
    ///
    /// - Throws: `URLError` if the URL isn't http or https.
    init(_ url: URL?) throws {
        guard let text = url?.absoluteString else { throw URLError(.badURL) }
        guard let parsed = try? WebURL(text) else { throw URLError(.badURL, failing: url) }
        guard parsed.isHTTP, parsed.host != nil else { throw URLError(.unsupportedURL, failing: url) }
        self = parsed
    }
}

extension URLError {
    /// Creates an error about a URL.
    init(_ code: URLError.Code, failing url: URL?, reason: String? = nil, cause: (any Error)? = nil) {
        var info: [String: Any] = [:]
        if let url {
            info[NSURLErrorFailingURLErrorKey] = url
        }
        if let reason { info[NSLocalizedDescriptionKey] = reason }
        if let cause { info[NSUnderlyingErrorKey] = cause }
        self.init(code, userInfo: info)
    }
}

extension ResourcePolicy {
    /// Creates the same policy.
    init(_ policy: URLRequest.CachePolicy) {
        switch policy {
        case .reloadIgnoringLocalCacheData: self = .reloadIgnoringLocalCacheData
        case .reloadIgnoringLocalAndRemoteCacheData: self = .reloadIgnoringLocalAndRemoteCacheData
        case .returnCacheDataElseLoad: self = .returnCacheDataElseLoad
        case .returnCacheDataDontLoad: self = .returnCacheDataDontLoad
        case .reloadRevalidatingCacheData: self = .reloadRevalidatingCacheData
        default: self = .useProtocolCachePolicy
        }
    }
}

extension HTTPFields {
    /// Creates fields from a dictionary, in the order of their names; names that aren't tokens are left out.
    init(_ dictionary: [String: String]?) {
        self.init()
        for (name, value) in (dictionary ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard let name = HTTPField.Name(name) else { continue }
            append(HTTPField(name: name, value: value))
        }
    }

    /// The fields as Foundation has them: lines with the same name are combined (RFC 9110 §5.3).
    var dictionary: [String: String] {
        // Comparing a few names takes less time than hashing them; most responses have about ten.
        guard count <= 64 else { return largeDictionary }
        var names: [HTTPField.Name] = []
        var all: [String: String] = [:]
        names.reserveCapacity(count)
        all.reserveCapacity(count)
        for field in self {
            let name = names.first { $0 == field.name }
            if name == nil { names.append(field.name) }
            let text = (name ?? field.name).rawName
            if let known = all.updateValue(field.value, forKey: text) { all[text] = known + ", " + field.value }
        }
        return all
    }

    private var largeDictionary: [String: String] {
        var names: [String: String] = [:]
        var all: [String: String] = [:]
        for field in self {
            let name = names[field.name.canonicalName] ?? field.name.rawName
            names[field.name.canonicalName] = name
            all[name] = all[name].map { $0 + ", " + field.value } ?? field.value
        }
        return all
    }
}

extension HTTPURLResponse {
    /// Creates a response from its parts.
    static func made(_ url: URL, _ status: Int, _ fields: [String: String]) -> HTTPURLResponse {
        guard
            let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        else { preconditionFailure("Foundation refuses a response with the status \(status)") }
        return response
    }
}

extension URLRequest {
    /// The request as the resolver gets it.
    ///
    /// - Throws: `URLError` if the URL isn't http or https.
    func resolving(_ options: AFCache.LoadOptions, place: StoringProposal.Place) throws -> ResolverRequest {
        guard let method = HTTPRequest.Method(rawValue: httpMethod ?? "GET") else {
            throw URLError(.badURL, failing: url)
        }
        var fields = HTTPFields(allHTTPHeaderFields)
        if let host = HTTPField.Name("Host") { fields[host] = nil }
        fields[.contentLength] = nil
        if !fields.contains(.acceptEncoding), !fields.contains(.range) {
            fields[.acceptEncoding] = BodyCoding.accepted
        }
        var request = ResolverRequest(method: method, url: try WebURL(url), fields: fields)
        if let body = try body() { (request.body, request.bodyLength) = (body.pieces, body.length) }
        request.assignedLifetime = options.lifetime.map { Int64(clamping: $0) }
        request.storingPlace = place
        request.userInfo = UserInfo.bytes(options.userInfo)
        return request
    }

    /// The body, or nil if there is none.
    private func body() throws -> RequestBody? {
        if let httpBody { return RequestBody(httpBody) }
        guard let stream = httpBodyStream else { return nil }
        guard stream.streamStatus == .notOpen else {
            let reason =
                "the body is a stream that was sent already; use 'httpBody' or a file where it may be sent again"
            throw URLError(.requestBodyStreamExhausted, failing: url, reason: reason)
        }
        return RequestBody(stream)
    }
}

extension AFCache.LoadedResponse.Source {
    init(_ source: ResolverResponse.Source) {
        switch source {
        case .hit: self = .hit
        case .revalidated: self = .revalidated
        case .stale: self = .stale
        case .miss, .refused: self = .miss
        }
    }
}
