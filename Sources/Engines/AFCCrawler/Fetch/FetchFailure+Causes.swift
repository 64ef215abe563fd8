internal import AFCCoding
internal import AFCCrawlRules
internal import AFCOrigin

extension FetchFailure {
    /// Creates the failure for an error of the client, the network, TLS or a content coding.
    ///
    /// - Parameters:
    ///   - cause: The error; the failure contains nothing from the request.
    ///   - hasBegun: Whether the response's head had arrived, so that a lost connection truncates the body.
    ///   - isProxied: Whether connections go to a proxy, so that a failed connection is the proxy's.
    init(cause: any Error, hasBegun: Bool, isProxied: Bool = false) {
        self = Self.failure(cause, isProxied)
        if hasBegun, case .connection = self { self = .truncated }
    }

    private static func failure(_ cause: any Error, _ isProxied: Bool) -> FetchFailure {
        switch cause {
        case let failure as FetchFailure: return failure
        case is UnadmittedPeer: return .privateAddress
        // A small response is handed over complete, so its head may have arrived before anyone saw it.
        case let error as WireError where error == .truncated: return .truncated
        case let unsupported as ContentCoding.Unsupported: return .coding(unsupported.names)
        case ContentDecoder.Failure.expansion: return .expansion
        case ContentDecoder.Failure.truncated: return .truncated
        case ContentDecoder.Failure.damaged(let coding): return .coding(coding.rawValue)
        default: return failure(ConnectionTrouble(cause), isProxied)
        }
    }

    private static func failure(_ trouble: ConnectionTrouble, _ isProxied: Bool) -> FetchFailure {
        switch trouble {
        case .unknownHost: isProxied ? .proxy("its host name could not be resolved") : .unknownHost
        case .refused: isProxied ? .proxy("it refused the connection") : .refused
        case .unreachable where isProxied: .proxy("the network has no route to it")
        case .unconnected: isProxied ? .proxy("connecting to it timed out") : .timeout
        case .timeout, .slow: .timeout
        case .proxyCredentials: .proxy("it requires valid credentials")
        case .proxyAnswer: .proxy("it didn't connect to the origin")
        case .notHTTP, .limit: .response(trouble.words)
        case _ where trouble.isOfTLS: .tls(trouble.words)
        default: .connection(trouble.words)
        }
    }
}
