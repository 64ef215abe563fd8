import AFCCrawlRules
import AFCCrawler
import AFCPlatform
import ArgumentParser

/// What a crawl needs to be let in, and the way there.
struct AccessArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A field as 'Name: value', or '@FILE' with one a line; it goes to the starts' origins only. Repeatable.",
            valueName: "field"
        )
    )
    var header: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            A line for each origin, as 'https://host basic user:password' or '… bearer TOKEN'. For the starts' origin, \
            \(AccessSources.basicVariable) or \(AccessSources.bearerVariable) in the environment does, too.
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var credentials: String?

    @Option(
        help: ArgumentHelp("A netrc file, for the starts' hosts.", valueName: "file"),
        completion: .file()
    )
    var netrc: String?

    @Option(
        help: ArgumentHelp(
            "Cookies in Netscape's format, as browsers' extensions and curl write it. Repeatable.",
            valueName: "file"
        ),
        completion: .file()
    )
    var cookies: [String] = []

    @Option(
        help: ArgumentHelp(
            "Ask through this proxy; 'user:password' for it stands in \(ProxyServer.variable).",
            valueName: "host:port"
        )
    )
    var proxy: String?

    @Option(
        help: ArgumentHelp(
            "Additional CA certificates to trust (PEM file).",
            valueName: "file"
        ),
        completion: .file()
    )
    var ca: String?

    @Flag(help: "Don't verify TLS certificates. Anyone on the network path can then alter the package.")
    var insecure = false

    @Flag(help: "Follow links into private addresses.")
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
        fetching.proxy = try proxy.map { try sources.proxy($0) }
        if let ca {
            // What can't be read is said now, not by the first origin.
            _ = try SmallFile.read(ca, limit: 16 << 20)
            fetching.trustRoots = ca
        }
        fetching.verifiesCertificates = !insecure
    }

    /// The variables that are asked for, and no others.
    private var sources: AccessSources {
        let names = [AccessSources.basicVariable, AccessSources.bearerVariable, ProxyServer.variable]
        let pairs = names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
        return AccessSources(environment: Dictionary(uniqueKeysWithValues: pairs))
    }
}
