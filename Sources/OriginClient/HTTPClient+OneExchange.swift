public import AsyncHTTPClient
public import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
public import URLStandard

extension HTTPClient.Configuration {
    /// A client that carries one exchange after the other as they are: HTTP/1.1, no redirect followed, nothing asked twice,
    /// and targets as URLs say them; see ``AsyncHTTPClient/HTTPClientRequest/init(_:method:fields:)``.
    public static var oneExchange: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.http1_1ConnectionDebugInitializer = { channel in RequestTargetWriter.add(to: channel) }
        return configuration
    }
}

extension HTTPClientRequest {
    /// A request for a URL; only a client made with `oneExchange` may send it.
    ///
    /// - Parameters:
    ///   - url: The resource.
    ///   - method: The method.
    ///   - fields: The fields; Host comes from the URL where it isn't among them, and goes before all others.
    public init(_ url: WebURL, method: HTTPRequest.Method = .get, fields: [(String, String)]) {
        self.init(url: url.origin + "/")
        self.method = HTTPMethod(rawValue: method.rawValue)
        headers = HTTPHeaders()
        if !fields.contains(where: { $0.0.lowercased() == "host" }) { headers.add(name: "Host", value: url.authority) }
        headers.add(name: RequestTargetWriter.fieldName, value: url.requestTarget)
        for (name, value) in fields { headers.add(name: name, value: value) }
    }
}
