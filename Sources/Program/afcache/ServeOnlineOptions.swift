import AFCAuthority
import AFCCache
import AFCCaching
import AFCHTTP
import AFCResolver
public import AFCServer
import AFCURL
public import ArgumentParser
import HTTPTypes

/// How `serve` asks origins, where it may.
struct ServeOnlineOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Serve as a caching reverse proxy before this origin: what isn't stored, or is stale, is asked for there.",
            valueName: "url"
        )
    )
    var origin: OriginURL?

    @Option(
        name: .customLong("allow-host"),
        help: ArgumentHelp(
            """
            With '--origin', also accept requests for this host: a name, an address, or '*.docs.example' for all \
            subdomains. Repeatable. '*' accepts every name: any website can then read and change the origin's data \
            (DNS rebinding). (default: loopback names, the server's address, the origin's host)
            """,
            valueName: "name"
        )
    )
    var allowedHosts: [HostPattern] = []

    @Flag(
        help: """
            Serve as a forward proxy: http goes through the cache, and https through tunnels, which aren't looked into.
            """
    )
    var proxy = false

    @Flag(help: "Also let the proxy connect to this machine and to private networks.")
    var allowPrivate = false

    @Option(
        name: .customLong("allow-port"),
        help: ArgumentHelp(
            """
            Also let the proxy connect to this port, or to a range such as 5000-5999. Repeatable. Websites could \
            then send data to mail and other servers on it. (default: 80, 443 and from 1024 on; CONNECT: 80, 443, \
            8443, with '--allow-private' also from 1024 on)
            """,
            valueName: "port"
        )
    )
    var allowedPorts: [PortRange] = []

    @Option(
        help: ArgumentHelp(
            """
            Answer CONNECT for https as the host that is asked for, with certificates of the authority in this \
            folder (see 'afcache ca'); with '--proxy' https goes through the cache, too.
            """,
            valueName: "dir"
        ),
        completion: .directory
    )
    var ca: String?

    @Option(
        help: ArgumentHelp(
            """
            How long packaged responses may be served stale when the origin is unreachable, for example 7d, or \
            'forever'. (default: 0)
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
            A field that takes the place of Cache-Control for this cache (RFC 9213); may be repeated, the first that \
            is there counts. (default: CDN-Cache-Control with '--origin', none with '--proxy')
            """,
            valueName: "name"
        )
    )
    var targetedFields: [FieldName] = []

    @Option(
        help: ArgumentHelp(
            "Additional CA certificates to trust for origins (PEM file).",
            valueName: "file"
        ),
        completion: .file()
    )
    var originAuthorities: String?

    /// Whether origins are asked at all.
    var isOnline: Bool { origin != nil || proxy }

    /// What answers requests.
    ///
    /// - Parameters:
    ///   - store: What is known, and where responses go.
    ///   - policy: What becomes of expired responses offline.
    /// - Returns: What the server asks, and what has to be shut down after it, if anything.
    /// - Throws: Where the authority can't be used.
    func responder(_ store: OfflineCache, policy: OfflinePolicy) throws -> (any Responding, Resolver?) {
        let own = OfflineResponder(store: store, policy: policy, now: { Clock.now })
        let certificates = try ca.map { try ServeCertificates(AuthorityFolder(path: $0)) }
        guard isOnline else {
            guard let certificates else { return (own, nil) }
            return (ProxyResponder(.offline, connecting: .answer(certificates), other: own, now: { Clock.now }), nil)
        }
        let transport = DirectTransport(
            allowsPrivateAddresses: origin != nil || allowPrivate,
            certificates: originAuthorities
        )
        let resolver = Resolver(store: store, transport: transport, configuration: configuration)
        if let origin = origin?.url {
            let gateway = GatewayResponder(resolver: resolver, origin: origin, hosts: allowedHosts, now: { Clock.now })
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

    private var configuration: Resolver.Configuration {
        var configuration = Resolver.Configuration(now: { Clock.now })
        if let staleIfOffline { configuration.rules.packageStaleSeconds = staleIfOffline.seconds }
        // RFC 9213 §3.1: for caches that serve an origin on its behalf, which a proxy does only where somebody says so.
        configuration.rules.targets = targetedFields.map(\.name)
        if targetedFields.isEmpty, origin != nil { configuration.rules.targets = [.cdnCacheControl] }
        configuration.onTrouble = { Console.complain($0) }
        return configuration
    }

    func validate() throws {
        guard origin == nil || !proxy else {
            throw ValidationError("'--origin' and '--proxy' are two kinds of servers; choose one, or start two")
        }
        guard origin == nil || ca == nil else {
            throw ValidationError("'--ca' is for proxies; use it with '--proxy', or offline")
        }
        guard origin != nil || allowedHosts.isEmpty else {
            throw ValidationError("'--allow-host' needs '--origin'")
        }
        guard proxy || allowedPorts.isEmpty else { throw ValidationError("'--allow-port' needs '--proxy'") }
    }
}

/// The URL of an origin: http or https, without credentials and query.
struct OriginURL: ExpressibleByArgument {
    let url: WebURL

    init?(argument: String) {
        guard let url = try? WebURL(argument), url.isHTTP, url.query == nil, !url.hasCredentials else { return nil }
        self.url = url
    }
}

extension HostPattern: ExpressibleByArgument {
    /// Reads a pattern; see ``HostPattern/init(_:)``.
    public init?(argument: String) { self.init(argument) }
}

/// A port, or those from one to another.
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
