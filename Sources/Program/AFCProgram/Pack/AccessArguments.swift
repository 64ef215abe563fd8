import AFCCrawlRules
import AFCCrawler
import AFCOrigin
import AFCPlatform
import ArgumentParser

/// The options for credentials, the proxy and certificates of a crawl.
struct AccessArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Send this field, written as 'Name: value', to the origins of the start URLs only; '@FILE' reads fields \
            from a file, one per line. Authorization must come from such a file, and cookies from '--cookies'. Repeatable.
            """,
            valueName: "field"
        )
    )
    var header: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            A file with one line per origin: 'https://host basic user:password' or 'https://host bearer TOKEN'. For the \
            origin of the start URLs, set \(AccessSources.basicVariable) ('user:password') or \
            \(AccessSources.bearerVariable) (the token) in the environment instead.
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var credentials: String?

    @Option(
        help: ArgumentHelp(
            "A netrc file, used for the hosts of the start URLs.",
            valueName: "file",
            visibility: .hidden
        ),
        completion: .file()
    )
    var netrc: String?

    @Option(
        help: ArgumentHelp(
            "A cookie file in Netscape's format, as curl and browser extensions write it. Repeatable.",
            valueName: "file"
        ),
        completion: .file()
    )
    var cookies: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Send all requests through this HTTP proxy. Set \(OriginProxy.variable) in the environment to its \
            'user:password'. (default: the proxies that http_proxy, https_proxy, all_proxy and no_proxy name)
            """,
            valueName: "host:port"
        )
    )
    var proxy: String?

    @OptionGroup var roots: TrustRootsOption

    @OptionGroup var verification: InsecureOption

    @Flag(
        help: ArgumentHelp(
            """
            Also request private addresses that no start URL names. A site can then make the crawler read pages of your \
            own network.
            """,
            visibility: .hidden
        )
    )
    var allowPrivate = false

    func apply(to options: inout CrawlOptions) throws {
        var sources = sources
        sources.headers = header
        sources.credentialsFile = credentials
        sources.netrcFile = netrc
        sources.cookieFiles = cookies
        let (access, warnings) = try sources.access(for: options.seeds, now: Clock.now)
        for warning in warnings { Console.complain("warning: \(warning)") }
        options.access = access
        options.scope.allowsPrivate = allowPrivate
    }

    func apply(to fetching: inout HTTPFetcher.Options) throws {
        let proxies = try proxy.map { ProxyRules(all: try sources.proxy($0)) } ?? .environment()
        fetching.access = try OriginAccess(
            cacert: roots.cacert,
            insecure: verification.insecure,
            allowPrivate: allowPrivate
        )
        fetching.access.proxies = proxies
    }

    /// The environment, reduced to the variables that are needed.
    private var sources: AccessSources {
        let names = [AccessSources.basicVariable, AccessSources.bearerVariable, OriginProxy.variable]
        let pairs = names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
        return AccessSources(environment: Dictionary(uniqueKeysWithValues: pairs))
    }
}
