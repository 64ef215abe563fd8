import AFCAuthority
import AFCCache
import AFCCaching
import AFCHTTP
import AFCOrigin
import AFCResolver
import AFCSearch
public import AFCServer
import AFCText
import AFCURL
public import ArgumentParser
import HTTPTypes

/// The options for origins that `afcache serve` may connect to.
struct ServeOnlineOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Serve as a caching reverse proxy for this origin. What isn't stored or is stale is requested from it.",
            valueName: "url"
        ),
        transform: OriginURL.init(argument:)
    )
    var origin: OriginURL?

    @Option(
        name: .customLong("allow-host"),
        help: ArgumentHelp(
            """
            With '--origin', also accept requests for this host: a name, an address, or '*.docs.example' for all \
            subdomains. Repeatable. '*' accepts every name; any website can then read and change the origin's data \
            (DNS rebinding). (default: loopback names, the server's address, the origin's host)
            """,
            valueName: "name"
        )
    )
    var allowedHosts: [HostPattern] = []

    @Flag(
        help: """
            With '--origin', send the client's Host to the origin instead of the origin's own, for example because a \
            framework compares it with the Origin of a form (CSRF). Each host then has stored responses of its own.
            """
    )
    var preserveHost = false

    @Option(
        name: .customLong("trusted-proxy"),
        help: ArgumentHelp(
            """
            With '--origin', pass on what the client with this address says in Forwarded, X-Forwarded-… and X-Real-IP: \
            an address, or a block such as 10.0.0.0/8. Repeatable. What other clients say there is dropped. Name only \
            proxies that do the same, or their clients can pretend to have any address. (default: none)
            """,
            valueName: "address"
        )
    )
    var trustedProxies: [AddressRange] = []

    @Flag(
        help: """
            Serve as a forward proxy. http goes through the cache; https goes through tunnels that aren't decrypted, \
            unless '--ca' is given.
            """
    )
    var forwardProxy = false

    @Flag(
        help: """
            Let the forward proxy connect to this machine and to private networks. Whoever can use the proxy can then \
            reach them too.
            """
    )
    var allowPrivate = false

    @Option(
        name: .customLong("allow-port"),
        help: ArgumentHelp(
            """
            Let the forward proxy also connect to this port, or to a range such as 5000-5999. Repeatable. Websites can \
            then send data to the servers on these ports, for example to mail servers. (default: 80, 443 and all from \
            1024 on; for CONNECT only 80, 443 and 8443, with '--allow-private' also all from 1024 on)
            """,
            valueName: "port"
        )
    )
    var allowedPorts: [PortRange] = []

    @Option(
        help: ArgumentHelp(
            """
            Decrypt https requests sent to the proxy (CONNECT) and answer them from the cache, with certificates that \
            the local authority in this folder signs; see 'afcache ca'. With '--forward-proxy', what isn't stored is \
            requested from the origin.
            """,
            valueName: "dir"
        ),
        completion: .directory
    )
    var ca: String?

    @Option(
        help: ArgumentHelp(
            """
            If the origin is unreachable, serve a packaged response for this long after it expires, for example 7d, or \
            'forever', even if its fields forbid that. (default: only as its fields allow)
            """,
            valueName: "time"
        ),
        transform: StaleAllowance.init(argument:)
    )
    var staleIfOffline: StaleAllowance?

    @Option(
        name: .customLong("targeted-field"),
        help: ArgumentHelp(
            """
            A field that overrides Cache-Control for this cache (RFC 9213). Repeatable; the first one that a response \
            has counts. (default: CDN-Cache-Control with '--origin', none with '--forward-proxy')
            """,
            valueName: "name"
        )
    )
    var targetedFields: [FieldName] = []

    @OptionGroup var roots: TrustRootsOption

    /// True if the server may connect to origins.
    var isOnline: Bool { origin != nil || forwardProxy }

    /// Returns the object that answers requests.
    ///
    /// - Parameters:
    ///   - store: The cache, which responses are also stored in.
    ///   - policy: The treatment of expired responses offline.
    ///   - matching: The differences in the query that a packaged response may have.
    ///   - search: The search over the cache; nil if there is none.
    ///   - naming: The options for what browsers without a proxy get.
    ///   - memory: The most memory for responses that are sent again, in bytes; nil for the default.
    /// - Returns: The responder for the server, and the resolver to shut down after it, if any.
    /// - Throws: An error if the authority or the certificates can't be used.
    func responder(
        _ store: DiskCache,
        policy: OfflinePolicy,
        matching: QueryMatching,
        search: SearchLibrary?,
        naming: ServeNameOptions,
        memory: Int64?
    ) throws -> (any Responding, Resolver?) {
        var own = CacheResponder(
            store: store,
            policy: policy,
            matching: matching,
            search: search,
            now: { Clock.now }
        )
        naming.apply(to: &own)
        if let memory { own.limitMemory(memory) }
        guard isOnline else { return (try offline(own), nil) }
        let certificates = try certificates()
        own.answersTunnels = certificates != nil
        let access = try OriginAccess(cacert: roots.cacert, allowPrivate: origin != nil || allowPrivate)
        let direct = DirectTransport(access: access, now: { Clock.now })
        let transport: any TunnelTransport =
            if preserveHost, let origin { FixedOriginTransport(direct, origin: origin.url) } else { direct }
        let resolver = Resolver(store: store, transport: transport, configuration: configuration(matching))
        if let origin = origin?.url {
            let gateway = GatewayResponder(
                resolver: resolver,
                origin: origin,
                hosts: allowedHosts,
                preservesHost: preserveHost,
                trustedProxies: trustedProxies,
                now: { Clock.now }
            )
            return (gateway, resolver)
        }
        let proxy = ProxyResponder(
            .resolver(resolver),
            connecting: certificates.map { .answer($0) } ?? .tunnel(transport),
            other: own,
            ports: PortRules(additional: allowedPorts.map(\.ports), allowsHighTunnels: allowPrivate),
            now: { Clock.now }
        )
        return (proxy, resolver)
    }

    /// Returns the object that answers requests without connecting to origins.
    ///
    /// - Parameter own: Answers requests from a cache or from packages.
    /// - Returns: The responder, which also ends the tunnels of CONNECT if there is an authority.
    /// - Throws: An error if the authority can't be used.
    func offline(_ own: CacheResponder) throws -> any Responding {
        guard let certificates = try certificates() else { return own }
        var own = own
        own.answersTunnels = true
        return ProxyResponder(.offline, connecting: .answer(certificates), other: own, now: { Clock.now })
    }

    private func certificates() throws -> ServeCertificates? {
        try ca.map { try ServeCertificates(AuthorityFolder(path: $0)) }
    }

    /// Warns of stored sites for which the authority may not sign, since browsers then refuse their pages.
    ///
    /// - Parameter origins: The origins of what is stored.
    /// - Throws: An error if the authority can't be used.
    func warn(of origins: [String]) throws {
        guard let ca, let authority = try certificates() else { return }
        let hosts = Set(origins.compactMap { try? WebURL($0) }.filter { $0.scheme == "https" }.compactMap(\.host))
        for host in hosts.sorted().prefix(Self.checkedHosts) {
            do throws(AuthorityError) {
                _ = try authority.certificates.certificate(for: host, at: Clock.now)
            } catch {
                guard error.code == .notPermitted else { continue }
                let shown = PrintableText.escaped(host)
                Console.complain(
                    "warning: the authority in \(PrintableText.quoted(ca)) may not sign for '\(shown)', so browsers can't open "
                        + "it; make another one with 'afcache ca create --ca DIR --host \(shown)'"
                )
                return
            }
        }
    }

    /// The most hosts for which the authority is checked, since each costs a signature.
    private static let checkedHosts = 100

    private func configuration(_ matching: QueryMatching) -> Resolver.Configuration {
        var configuration = Resolver.Configuration(now: { Clock.now })
        configuration.matching = matching
        if let staleIfOffline { configuration.rules.packageStaleSeconds = staleIfOffline.seconds }
        // RFC 9213 §3.1: for caches that act on behalf of an origin, which a forward proxy does only if told.
        configuration.rules.targets = targetedFields.map(\.name)
        if targetedFields.isEmpty, origin != nil { configuration.rules.targets = [.cdnCacheControl] }
        let failures = OriginFailureLog(at: Clock.now)
        configuration.onTrouble = { if failures.mayLogTrouble(at: Clock.now) { Console.complain($0) } }
        configuration.onOriginFailure = { [origin = origin?.url] url, failure in
            if let line = failures.line(failure, origin ?? url, at: Clock.now) { Console.complain(line) }
        }
        return configuration
    }

    func validate() throws {
        guard !allowPrivate || forwardProxy else { throw ValidationError("'--allow-private' needs '--forward-proxy'") }
        guard origin == nil || !forwardProxy else {
            throw ValidationError(
                "'--origin' and '--forward-proxy' can't be combined; remove one, or start two servers"
            )
        }
        guard origin == nil || ca == nil else {
            throw ValidationError("'--ca' doesn't work with '--origin'; use it with '--forward-proxy' or offline")
        }
        guard origin != nil || allowedHosts.isEmpty else {
            throw ValidationError("'--allow-host' needs '--origin'")
        }
        guard origin != nil || !preserveHost else { throw ValidationError("'--preserve-host' needs '--origin'") }
        guard origin != nil || trustedProxies.isEmpty else {
            throw ValidationError("'--trusted-proxy' needs '--origin'")
        }
        guard isOnline || staleIfOffline == nil else {
            throw ValidationError(
                "'--stale-if-offline' needs '--origin' or '--forward-proxy'; offline, see '--expired'"
            )
        }
        guard isOnline || targetedFields.isEmpty else {
            throw ValidationError("'--targeted-field' needs '--origin' or '--forward-proxy'")
        }
        guard forwardProxy || allowedPorts.isEmpty else {
            throw ValidationError("'--allow-port' needs '--forward-proxy'")
        }
    }
}

/// The URL of an origin: http or https, without credentials and query.
struct OriginURL {
    let url: WebURL

    /// Reads the URL that a user wrote.
    ///
    /// - Throws: A usage error that says what is wrong with it.
    init(argument: String) throws {
        let url = try WebURL.argument(argument)
        guard url.isHTTP, url.query == nil, !url.hasCredentials else {
            throw ValidationError(
                "\(PrintableText.quoted(argument)) is not an origin; write http or https, a host and perhaps a port, "
                    + "without a password and a query"
            )
        }
        self.url = url
    }
}

extension HostPattern: ExpressibleByArgument {
    /// Reads a pattern; see ``HostPattern/init(_:)``.
    public init?(argument: String) { self.init(argument) }
}

extension AddressRange: ExpressibleByArgument {
    /// Reads an address or a block; see ``AddressRange/init(_:)``.
    public init?(argument: String) { self.init(argument) }
}

/// A port or a range of ports.
struct PortRange: ExpressibleByArgument {
    let ports: ClosedRange<UInt16>

    init?(argument: String) {
        let parts = argument.split(separator: "-", omittingEmptySubsequences: false).map { UInt16($0) }
        guard parts.count <= 2, let first = parts[0], let last = parts[parts.count - 1], 0 < first, first <= last else {
            return nil
        }
        ports = first...last
    }
}

/// The time for which a response may be served stale, or forever.
struct StaleAllowance {
    var seconds: Int64

    /// - Throws: A usage error that says how to write one.
    init(argument: String) throws {
        seconds = try argument == "forever" ? .max : TimeSpan.secondsArgument(argument)
    }
}

/// The name of a field.
struct FieldName: ExpressibleByArgument {
    let name: HTTPField.Name

    init?(argument: String) {
        guard let name = HTTPField.Name(argument) else { return nil }
        self.name = name
    }
}
