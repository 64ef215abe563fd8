/// Whether a request says once, and rightly, whom it means (RFC 9112 §3.2).
enum HostCheck {
    /// Why a request is refused, whoever answers; nil where its Host is as it should be.
    ///
    /// - Parameter request: The request.
    /// - Returns: The refusal.
    static func refusal(_ request: ServerRequest) -> RequestTarget.Refusal? {
        guard request.hosts.count < 2 else { return .severalHosts }
        guard let host = request.hosts.first else { return request.needsHost ? .hostMissing : nil }
        return host.isEmpty || Authority(host) != nil ? nil : .malformedHost
    }
}
