public import AFCHTTP
internal import NIOCore

extension OfflineServer {
    /// How a server runs.
    public struct Configuration: Sendable {
        /// The address or name to listen at.
        public var host: String
        /// The port to listen at; 0 for any that is free.
        public var port: UInt16
        /// Sockets that listen already, such as those of ``SocketActivation``; host and port don't count then.
        public var sockets: [Int32] = []
        /// For how many seconds answers on their way may go on after the first signal.
        public var drainSeconds: Int64 = 10
        /// The most connections at a time, on all sockets together; more wait until one ends, and those that have been idle
        /// longest are closed to make room.
        ///
        /// Where the system allows fewer open files, it is less: a quarter of them is kept for bodies.
        public var connectionLimit = 4096
        /// Chooses the certificate of each connection, which then has TLS; nil for plain HTTP.
        public var certificates: (any CertificateProviding)?
        /// The bytes of answers that are kept in memory, on all event loops together; 0 for none.
        public var memoryBytes = 64 * 1024 * 1024
        /// The clock that freshness and Date go by.
        public var now: @Sendable () -> Timestamp
        /// Told of each answer, from any thread; nil for nobody.
        public var onAnswer: (@Sendable (AccessRecord) -> Void)?
        /// What bounds one connection.
        var limits = Limits()

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - host: The address or name to listen at; only this machine reaches the default.
        ///   - port: The port to listen at; 0 for any that is free.
        ///   - now: The clock that freshness and Date go by.
        public init(
            host: String = "127.0.0.1",
            port: UInt16 = 0,
            now: @escaping @Sendable () -> Timestamp
        ) {
            self.host = host
            self.port = port
            self.now = now
        }

        /// What bounds one connection.
        struct Limits: Sendable {
            /// The time for a request's head, from the connection or the answer before.
            var idleTimeout = TimeAmount.seconds(30)
            /// The time for which an idle connection keeps its place where there is no room for others.
            var idleGrace = TimeAmount.seconds(1)
            /// The time in which a client must take some of an answer.
            var stallTimeout = TimeAmount.seconds(60)
            /// The time in which a client must close its side.
            var lingerTimeout = TimeAmount.seconds(2)
            /// The time for which a client that has closed its side waits for an answer to begin.
            var halfClosedTimeout = TimeAmount.seconds(5)
            /// The time in which something must move through a tunnel.
            var tunnelTimeout = TimeAmount.minutes(5)
            /// The bytes that are thrown away of a body that nobody wants.
            var lingerBytes = 1024 * 1024
            /// The bytes of one field.
            var fieldBytes = 16 * 1024
            /// The bytes of all fields.
            var headBytes = 64 * 1024
            /// Whether connections speak HTTP/2 without being asked; for tests.
            var assumesHTTP2 = false
            /// The streams of HTTP/2 that one connection may have open.
            var streamCount = 100
            /// The number of fields.
            var fieldCount = 100
        }
    }

    /// Where a server listens.
    public struct Address: Sendable, Equatable, CustomStringConvertible {
        /// The address, without brackets.
        public var host: String
        /// The port, the real one where any was asked for.
        public var port: UInt16

        /// The address as in a URL: `127.0.0.1:8080` or `[::1]:8080`.
        public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }
}
