internal import AFCFiles
public import AFCHTTP
package import AFCSearch
public import AFCURL
internal import NIOCore

extension Server {
    /// The settings of a server.
    public struct Configuration: Sendable {
        /// The address or name to listen at; an IPv6 address may have the brackets that it has in a URL.
        public var host: String
        /// The port to listen at; 0 for any free port.
        public var port: UInt16
        /// Sockets that already listen, such as those of ``SocketActivation``; host and port are then ignored.
        public var sockets: [Int32] = []
        /// The seconds for which responses in progress may continue after the first signal.
        public var drainSeconds: Int64 = 10
        /// The most connections at a time, on all sockets together.
        ///
        /// Further connections wait until one ends; those that have been idle longest are closed to make room. If the
        /// system allows too few open files, the limit is lower: a connection may need three of them.
        public var connectionLimit = Self.defaultConnectionLimit
        /// The provider of each connection's certificate, for TLS; nil for plain HTTP.
        public var certificates: (any CertificateProviding)?
        /// The most bytes of answers kept in memory, for all connections together; 0 for none.
        public var memoryBytes = Self.defaultMemoryBytes
        /// The clock for freshness and Date.
        public var now: @Sendable () -> Timestamp
        /// A closure called for each answer, from any thread; nil for none.
        public var onAnswer: (@Sendable (AccessRecord) -> Void)?
        /// The list to which URLs of packaged hosts are added that aren't stored; nil for none.
        public var missing: MissingURLs?
        /// The list to which requests of packaged pages to other hosts are added, which were stopped; nil for none.
        public var stopped: StoppedRequests?
        /// The hosts by which clients reach the server; below those that begin with `*.`, origins have names.
        public var names: [String] = []
        /// The site to which requests for any host lead; nil if hosts stand for themselves.
        public var site: WebURL?
        /// The ports of origins, which the server listens at besides its own; nil if they have none.
        public var sitePorts: SitePorts?
        /// The host of the server's own pages if there is a ``site``; nil for none.
        public var ownPagesHost: String?
        /// Throws if the server can't answer as it should, for the health check; may block for a few calls to the system.
        public var health: @Sendable () throws -> Void = {}
        /// The search over the cache; nil if there is none.
        package var search: SearchLibrary?
        /// The service for agents below the server's own hosts; nil for none.
        package var endpoint: (any OwnEndpoint)?
        /// True if each response says how long it took, so that none is sent again from memory (Server Timing).
        package var sendsTiming = false
        /// The limits of one connection.
        var limits = Limits()

        /// The host without the brackets that an IPv6 address has in a URL.
        var bareHost: String {
            host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        }

        /// True if the server listens at an address that only this machine reaches; false if that isn't known.
        package var isForThisMachineOnly: Bool {
            let host = bareHost.contains(":") ? "[\(bareHost)]" : bareHost
            return sockets.isEmpty && Authority(host).map { HostNames.isLoopback($0.host) } ?? false
        }

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - host: The address or name to listen at; the default is reachable from this machine only.
        ///   - port: The port to listen at; 0 for any free port.
        ///   - now: The clock for freshness and Date.
        public init(
            host: String = "127.0.0.1",
            port: UInt16 = 0,
            now: @escaping @Sendable () -> Timestamp
        ) {
            self.host = host
            self.port = port
            self.now = now
        }

        static let defaultConnectionLimit = 4096

        /// A sixteenth of the memory that this process may use, but at least 16 MiB and at most 1 GiB.
        public static let defaultMemoryBytes = Int(max(16 << 20, min(1 << 30, (SystemMemory.size ?? 1 << 30) / 16)))

        /// The limits of one connection.
        struct Limits: Sendable {
            /// The time in which a request's head must arrive, counted from the start of the connection or the previous
            /// answer.
            var idleTimeout = TimeAmount.seconds(30)
            /// The time for which an idle connection can't be closed to make room for others.
            var idleGrace = TimeAmount.seconds(1)
            /// The time in which a client must send some bytes of a request's body, if others wait for its place.
            var receivingGrace = TimeAmount.seconds(10)
            /// The time in which a client must accept some bytes of an answer, or send some of a request's body.
            var stallTimeout = TimeAmount.seconds(60)
            /// The time in which a client must close its side.
            var lingerTimeout = TimeAmount.seconds(2)
            /// The time in which an answer must begin once the client has closed its side.
            var halfClosedTimeout = TimeAmount.seconds(5)
            /// The time in which some bytes must pass through a tunnel.
            var tunnelTimeout = TimeAmount.minutes(5)
            /// The most bytes of an unwanted body that are read and discarded.
            var lingerBytes = 1024 * 1024
            /// The most bytes of one field.
            var fieldBytes = 16 * 1024
            /// The most bytes of all fields.
            var headBytes = 64 * 1024
            /// True if connections start with HTTP/2 without negotiation; for tests.
            var assumesHTTP2 = false
            /// The most HTTP/2 streams that one connection may have open.
            var streamCount = 100
            /// The most fields of a request.
            var fieldCount = 100
        }
    }

    /// The path of ``Configuration/endpoint``.
    package static let endpointPath = "/.afcache/mcp"

    /// The address at which a server listens.
    public struct Address: Sendable, Equatable, CustomStringConvertible {
        /// The address, without brackets.
        public var host: String
        /// The port; the one that the system chose if 0 was asked for.
        public var port: UInt16

        /// The addresses at which other machines may reach the server: those of the machine if it listens at all, else its
        /// own; none if it is for this machine only.
        public var elsewhere: [Self] {
            guard ["0.0.0.0", "::"].contains(host) else { return HostNames.isLoopback(host) ? [] : [self] }
            // A system that can't list them has none to print.
            let devices = (try? System.enumerateDevices()) ?? []
            var found: [Self] = []
            for device in devices {
                guard let address = device.address?.ipAddress, host == "::" || !address.contains(":"),
                    // An address of one link needs the name of the link in a URL.
                    !HostNames.isLoopback(address), !address.lowercased().hasPrefix("fe80:")
                else { continue }
                let other = Self(host: address, port: port)
                if !found.contains(other) { found.append(other) }
            }
            return found
        }

        /// Returns the address at which a browser on this machine finds a resource.
        ///
        /// - Parameter url: The URL of the resource.
        /// - Returns: The address, by the name of the URL's origin below `localhost`.
        public func link(to url: WebURL) -> String { LinkForm(.originName, port: port).link(to: url) }

        /// The address as in a URL: `127.0.0.1:8080` or `[::1]:8080`.
        public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }
}
