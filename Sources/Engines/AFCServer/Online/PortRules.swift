/// The ports of other machines that a proxy connects to.
///
/// Ports below 1024 belong to mail, remote shells and file servers, which could take an HTTP request, or the bytes of a
/// tunnel, for commands of their own clients.
public struct PortRules: Sendable, Hashable {
    /// The ports that CONNECT may name: TLS, TLS beside another server, and WebSockets without TLS.
    private static let tunnels: Set<UInt16> = [80, 443, 8443]

    /// Additional ports that are allowed.
    private let additional: [ClosedRange<UInt16>]
    /// True if tunnels are allowed to all ports from 1024 on.
    private let allowsHighTunnels: Bool

    /// Creates rules.
    ///
    /// - Parameters:
    ///   - additional: Additional ports to allow.
    ///   - allowsHighTunnels: True to allow tunnels to all ports from 1024 on, for people who test servers of their
    ///     own.
    public init(additional: [ClosedRange<UInt16>] = [], allowsHighTunnels: Bool = false) {
        self.additional = additional
        self.allowsHighTunnels = allowsHighTunnels
    }

    /// Returns true if requests for http and https URLs with this port are allowed.
    public func allowsRequests(to port: UInt16) -> Bool {
        port >= 1024 || port == 80 || port == 443 || isAdditional(port)
    }

    /// Returns true if CONNECT to this port is allowed.
    public func allowsTunnels(to port: UInt16) -> Bool {
        Self.tunnels.contains(port) || allowsHighTunnels && port >= 1024 || isAdditional(port)
    }

    private func isAdditional(_ port: UInt16) -> Bool { additional.contains { $0.contains(port) } }
}
