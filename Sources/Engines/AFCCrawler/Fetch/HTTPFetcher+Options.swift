internal import AFCCaching
public import AFCHTTP

extension HTTPFetcher {
    /// What a fetch may take, and how connections come about.
    public struct Options: Sendable, Equatable {
        /// How long a connection may take to come about.
        public var connectTimeout: Duration = .seconds(15)
        /// How long the origin may send nothing, and in what time it must send at least a KiB.
        public var readTimeout: Duration = .seconds(60)
        /// How many times larger than its coded form a body may be.
        public var maxExpansion: Int = 250
        /// How many connections to one host are kept.
        public var connectionsPerHost: Int = 8
        /// How many bytes of bodies are received in a second, from all hosts together, or nil for no limit.
        public var bytesPerSecond: Int64?
        /// Whether HTTP/2 is used where a server offers it over TLS.
        public var usesHTTP2 = true
        /// What forwards all requests, or nil for none.
        public var proxy: ProxyServer?
        /// A file of certificates, in PEM, that are trusted beside the system's.
        public var trustRoots: String?
        /// The time by which certificates are judged in words, or nil where failures don't say why one isn't trusted.
        public var now: Timestamp?
        /// Whether https origins must prove who they are.
        public var verifiesCertificates = true

        /// Whether hosts that aren't named may lead into networks that aren't public.
        public var allowsPrivate = false
        /// Hosts, as URLs have them, that may be anywhere: the user named them.
        public var namedHosts: Set<String> = []
        /// Names below `localhost` that lead to this machine.
        public var localNames: [String] = []

        /// How long a connection is kept without a request: servers end what idles after 5 s (Apache, Node) or later, and a
        /// request that meets that end would fail.
        var idleTimeout: Duration = .seconds(4)

        /// Creates the defaults.
        public init() {}
    }
}
