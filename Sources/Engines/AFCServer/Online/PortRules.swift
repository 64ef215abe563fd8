/// To which ports of other machines a proxy leads.
///
/// The ports below 1024 are those of mail, remote shells and files, whose servers take a request of HTTP, or bytes through a
/// tunnel, for their own clients'.
public struct PortRules: Sendable, Hashable {
    /// Those that CONNECT may name: TLS, TLS beside another server, and WebSockets without TLS.
    private static let tunnels: Set<UInt16> = [80, 443, 8443]

    /// Ports that are allowed besides.
    private let additional: [ClosedRange<UInt16>]
    /// Whether tunnels lead to every port from 1024 on.
    private let allowsHighTunnels: Bool

    /// Creates rules.
    ///
    /// - Parameters:
    ///   - additional: Ports that are allowed besides.
    ///   - allowsHighTunnels: Whether tunnels lead to every port from 1024 on, as for those who try out servers of their own.
    public init(additional: [ClosedRange<UInt16>] = [], allowsHighTunnels: Bool = false) {
        self.additional = additional
        self.allowsHighTunnels = allowsHighTunnels
    }

    /// Whether requests for http and https URLs with a port go out.
    public func allowsRequests(to port: UInt16) -> Bool {
        port >= 1024 || port == 80 || port == 443 || isAdditional(port)
    }

    /// Whether CONNECT leads to a port.
    public func allowsTunnels(to port: UInt16) -> Bool {
        Self.tunnels.contains(port) || allowsHighTunnels && port >= 1024 || isAdditional(port)
    }

    private func isAdditional(_ port: UInt16) -> Bool { additional.contains { $0.contains(port) } }
}
