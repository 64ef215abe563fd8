internal import AFCOrigin
internal import AFCText
internal import AFCURL

/// An error for a response that is missing or incomplete.
struct ConnectionFailure: Error {
    /// The failure as a sentence; lower case, no full stop.
    var message: String
    /// True if a retry may help.
    var isTransient = true
    /// True if the server let a time limit pass, so that another one should be asked first.
    var isTimeout = false
    /// The way out of it, if the program may have an option for it.
    var remedy: Remedy?

    init(_ message: String, isTransient: Bool = true, isTimeout: Bool = false) {
        self.message = message
        self.isTransient = isTransient
        self.isTimeout = isTimeout
    }

    /// Creates a failure from an error of the client or the layers below it.
    init(_ error: any Error) {
        if let error = error as? ConnectionFailure {
            self = error
            return
        }
        let trouble = ConnectionTrouble(error)
        let isTransient =
            switch trouble {
            case .notHTTP, .limit: false
            default: !trouble.isOfTLS
            }
        switch trouble {
        case .cut: self.init("the connection closed before the package was complete")
        case .timeout: self.init("the server stopped sending", isTimeout: true)
        case .unconnected, .slow: self.init(trouble.words, isTimeout: true)
        // Whoever tries a wrong password often locks the account.
        case .proxyCredentials, .unknownHost: self.init(trouble.words, isTransient: false)
        case .other(let reason): self.init("the connection failed (\(reason))")
        case .tls: self.init(trouble.words)
        case .untrusted(nil), .untrusted(.selfSigned), .untrusted(.unknownIssuer):
            self.init(trouble.words, isTransient: false)
            remedy = .trustServer
        default: self.init(trouble.words, isTransient: isTransient)
        }
    }

    /// Creates a failure to reach a host; a host name that the name server doesn't answer for may exist.
    ///
    /// - Parameters:
    ///   - error: The error of the client.
    ///   - url: The URL that was requested.
    ///   - options: The settings of the connection, which may lead to a proxy.
    ///   - names: The resolver that is asked for the reason.
    init(
        _ error: any Error,
        of url: WebURL,
        _ options: PackageDownload.Options,
        names: NameLookup = .system
    ) async {
        self.init(error)
        let trouble = ConnectionTrouble(error)
        if trouble.mayMeanTLS, url.scheme == "http" { message += "; if it speaks TLS at this port, use 'https://'" }
        let proxy = options.servers.access.proxies.proxy(for: url)
        if let proxy, trouble == .refused {
            message = "the proxy \(proxy.address) refused the connection; is it running, and meant?"
            isTransient = false
        }
        if let proxy {
            switch trouble {
            case .proxyCredentials: message = Self.wantsLogin(proxy)
            case .proxyAnswer(let status):
                message = "the proxy \(proxy.address) \(ConnectionTrouble.refusal(status))"
                // What a proxy forbids, it will forbid again.
                if let status, (400..<500).contains(status) { isTransient = false }
            case .unconnected: message = "the connection to the proxy \(proxy.address) timed out"
            default: break
            }
        }
        if proxy == nil, trouble == .refused {
            message += "; is it running, and is the port right?"
            // A server on this machine that isn't running won't be in a minute.
            let host = url.host ?? ""
            if host == "localhost" || host.hasPrefix("127.") || host == "[::1]" { isTransient = false }
        }
        guard trouble == .unknownHost else { return }
        if proxy != nil { message = "the host name of the proxy \(proxy?.address ?? "") does not exist" }
        do {
            _ = try await names.addresses(
                of: proxy?.host ?? url.host ?? "",
                port: proxy?.port ?? 443,
                within: options.connectTimeout
            )
            isTransient = true
        } catch NameLookup.Failure.unknownHost {
            // The name server has said so.
            message += "; check its spelling"
        } catch {
            (message, isTransient) = ("the name server doesn't answer", true)
        }
    }

    /// Returns the sentence for a proxy that answers 407; its login is in the URL that names it.
    static func wantsLogin(_ proxy: OriginProxy) -> String {
        let shown = "http://USER:PASSWORD@\(proxy.address)"
        return proxy.authorization == nil
            ? "the proxy \(proxy.address) wants a login; put it into the proxy's URL: \(shown)"
            : "the proxy \(proxy.address) refuses the login that was given; check its user and password"
    }
}
