internal import AFCCoding
internal import AFCCrawlRules
internal import AFCOrigin

extension FetchFailure {
    /// Creates the failure for an error of the client, the network, TLS or a content coding.
    ///
    /// - Parameters:
    ///   - cause: The error; the failure contains nothing from the request.
    ///   - hasBegun: Whether the response's head had arrived, so that a lost connection truncates the body.
    ///   - proxy: The address of the proxy to which connections go, so that a failed connection is the proxy's; or nil.
    init(cause: any Error, hasBegun: Bool, proxy: String? = nil) {
        self = Self.failure(cause, proxy)
        if hasBegun, case .connection = self { self = .truncated }
    }

    private static func failure(_ cause: any Error, _ proxy: String?) -> FetchFailure {
        switch cause {
        case let failure as FetchFailure: return failure
        case is UnadmittedPeer: return .privateAddress
        // A small response is handed over complete, so its head may have arrived before anyone saw it.
        case let error as WireError where error == .truncated: return .truncated
        case let unsupported as ContentCoding.Unsupported: return .coding(unsupported.names)
        case ContentDecoder.Failure.expansion: return .expansion
        case ContentDecoder.Failure.truncated: return .truncated
        case ContentDecoder.Failure.damaged(let coding): return .coding(coding.rawValue)
        default: return failure(ConnectionTrouble(cause), proxy)
        }
    }

    private static func failure(_ trouble: ConnectionTrouble, _ proxy: String?) -> FetchFailure {
        switch trouble {
        case .unknownHost: proxy.map { .proxy("\($0) has a host name that could not be resolved") } ?? .unknownHost
        case .refused: proxy.map { .proxy("\($0) refused the connection") } ?? .refused
        case .unreachable where proxy != nil: .proxy("\(proxy ?? "") can't be reached: the network has no route to it")
        case .unconnected: proxy.map { .proxy("\($0) didn't accept the connection in time") } ?? .timeout
        case .timeout, .slow: .timeout
        case .proxyCredentials: .proxy("\(proxy ?? "") wants a login, or refuses the one that was given")
        case .proxyAnswer(let status): .proxy("\(proxy ?? "") \(ConnectionTrouble.refusal(status))")
        case .notHTTP, .limit: .response(trouble.words)
        case _ where trouble.isOfTLS: .tls(trouble.words)
        default: .connection(trouble.words)
        }
    }
}
