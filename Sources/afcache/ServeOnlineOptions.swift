import ArgumentParser
import HTTPCaching
import HTTPTypes
import OfflineCache
import OfflineServer
import Resolver
import URLStandard

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
        help: ArgumentHelp(
            "For how long past its freshness what came in a package is served when the origin can't be reached: seconds, or 'forever'.",
            valueName: "seconds"
        )
    )
    var staleIfOffline: StaleAllowance = StaleAllowance(seconds: 0)

    @Option(
        help: ArgumentHelp(
            "Authorities that origins' certificates may lead to, besides the system's: a PEM file.",
            valueName: "file"
        ),
        completion: .file()
    )
    var originAuthorities: String?

    /// Whether origins are asked at all.
    var isOnline: Bool { origin != nil }

    /// What answers requests.
    ///
    /// - Parameters:
    ///   - store: What is known, and where responses go.
    ///   - origin: The origin.
    func responder(_ store: OfflineCache, origin: WebURL) throws -> any Responding {
        var configuration = Resolver.Configuration(now: { Clock.now })
        configuration.rules.packageStaleSeconds = staleIfOffline.seconds
        configuration.rules.targets = [HTTPField.Name("CDN-Cache-Control")].compactMap { $0 }
        configuration.onTrouble = { Console.complain($0) }
        let transport = DirectTransport(certificates: originAuthorities)
        let resolver = Resolver(store: store, transport: transport, configuration: configuration)
        return GatewayResponder(resolver: resolver, origin: origin)
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

/// Seconds, or for ever.
struct StaleAllowance: ExpressibleByArgument {
    var seconds: Int64

    init(seconds: Int64) { self.seconds = seconds }

    init?(argument: String) {
        if argument == "forever" {
            seconds = .max
            return
        }
        guard let seconds = Int64(argument), seconds >= 0 else { return nil }
        self.seconds = seconds
    }

    var defaultValueDescription: String { String(seconds) }
}
