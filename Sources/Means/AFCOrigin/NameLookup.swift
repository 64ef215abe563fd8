import AFCPlatform
public import NIOCore
internal import NIOPosix

/// A resolver of host names: the system's, or a table in its place.
public struct NameLookup: Sendable {
    /// The reason that a name has no addresses.
    public enum Failure: Error, Equatable, Sendable {
        /// The name doesn't exist.
        case unknownHost
        /// The name server doesn't respond; it may do so later.
        case unanswered
    }

    private let find: @Sendable (String, UInt16) async throws -> [SocketAddress]

    /// Creates a look-up.
    ///
    /// - Parameter find: A closure that returns the addresses of a host at a port, or throws ``Failure``.
    public init(_ find: @escaping @Sendable (String, UInt16) async throws -> [SocketAddress]) { self.find = find }

    /// The system's resolver; the caller can stop waiting for it.
    public static let system = NameLookup { host, port in
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        return try await threads.runIfActive(eventLoop: loop) { try systemAddresses(host, port: port) }.whileWanted()
    }

    /// The threads for the system's resolver, so that a dead name server blocks nothing else.
    private static let threads = {
        let threads = NIOThreadPool(numberOfThreads: 16)
        threads.start()
        return threads
    }()

    /// Returns the addresses of a host.
    ///
    /// - Parameters:
    ///   - host: A name, or an address without brackets.
    ///   - port: The port for the addresses.
    ///   - limit: The longest time to wait.
    /// - Returns: At least one address.
    /// - Throws: ``Failure`` if there are none, or `CancellationError`.
    public func addresses(
        of host: String,
        port: UInt16,
        within limit: Duration = .seconds(15)
    ) async throws -> [SocketAddress] {
        let find = find
        return try await withThrowingTaskGroup(of: [SocketAddress].self) { group in
            group.addTask { try await find(host, port) }
            group.addTask {
                try await Task.sleep(for: limit)
                throw Failure.unanswered
            }
            defer { group.cancelAll() }
            guard let found = try await group.next(), !found.isEmpty else { throw Failure.unknownHost }
            return found
        }
    }

    private static func systemAddresses(_ host: String, port: UInt16) throws(Failure) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        guard status == 0 else { throw status == EAI_AGAIN ? .unanswered : .unknownHost }
        defer { freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let address = entry.ai_addr else { continue }
            switch entry.ai_family {
            case AF_INET:
                address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { found.append(SocketAddress($0.pointee)) }
            case AF_INET6:
                address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    found.append(SocketAddress($0.pointee))
                }
            default: break
            }
        }
        return found
    }
}
