import AFCCache
import AFCCaching
import AFCResolver
import AFCServer
import AFCText
import ArgumentParser

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve a store over HTTP: offline, as a cache before an origin, or as a proxy.",
        discussion: """
            A page is found in four ways: through the server as an HTTP proxy, by the Host field, at \
            http://docs.example.localhost:PORT/, which browsers lead to this machine, and at \
            http://localhost:PORT/docs.example/. The root of the server lists what is available offline. URLs that the \
            store doesn't have get status 504; nothing is ever fetched without '--origin' or '--proxy'. On SIGTERM or \
            SIGINT the server finishes responses in progress; a second signal stops it at once.

              afcache serve --cache cache
              afcache serve --cache cache --port 8080 --expired refuse
              afcache serve --cache cache --tls-cert site.pem --tls-key site.key --access-log access.log
              afcache serve --cache cache --origin http://127.0.0.1:3000 --stale-if-offline forever
              afcache serve --cache cache --proxy --ca ~/.config/afcache/ca
              curl --proxy http://127.0.0.1:8080 http://docs.example/guide/
            """
    )

    @OptionGroup var cache: CacheOption

    @Option(help: "The address to listen at; 0.0.0.0 lets other machines in.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen at; 0 picks a free one.")
    var port: UInt16 = 8080

    @Option(
        help:
            "serve, refuse or always: what becomes of an expired response; 'always' serves it even where its origin forbids that."
    )
    var expired: OfflinePolicy.Expired = .serve

    @Flag(
        help: """
            Compare each body with its SHA-256 when it is served: a damaged one is an error and never looks whole. Costs \
            processor time, and a read of the whole body for a part of it.
            """
    )
    var verify = false

    @OptionGroup(title: "TLS")
    var secure: ServeSecureOptions

    @OptionGroup(title: "Logs")
    var logs: ServeLogOptions

    @OptionGroup(title: "Online")
    var online: ServeOnlineOptions

    @OptionGroup var verbosity: VerbosityOptions

    func run() async throws {
        let cache = try self.cache.path()
        let store = try OfflineCache(
            path: cache,
            access: online.isOnline ? .readWrite : .readOnly,
            verifiesBodies: verify
        )
        var configuration = OfflineServer.Configuration(host: host, port: port, now: { Clock.now })
        configuration.certificates = try secure.certificates()
        configuration.sockets = SocketActivation.inherit()
        let accessLog = try logs.openAccessLog()
        configuration.onAnswer = logs.onAnswer(accessLog)
        let scheme = configuration.certificates == nil ? "http" : "https"
        let isLogOnOutput = logs.isOnOutput
        let onReady = { @Sendable (address: OfflineServer.Address) async in
            let line = "serving at \(scheme)://\(address)/"
            // Standard output is the log's then.
            if isLogOnOutput { Console.complain(line) } else { Console.print(line) }
            Console.flush()
        }
        let (responder, resolver) = try online.responder(store, policy: OfflinePolicy(expired: expired))
        if online.isOnline { try Self.startReceiving(store) }
        try await OfflineServer.run(responder: responder, configuration: configuration, onReady: onReady)
        // What is still asked of origins would be stored later.
        await resolver?.shutDown()
        try store.close()
        accessLog?.flush()
    }

    /// Gets the right to store responses; on a disk that is full the server serves all the same, and tries again later.
    private static func startReceiving(_ store: OfflineCache) throws {
        do throws(CacheError) {
            try store.startReceiving()
        } catch {
            guard error.code == .inputOutput else { throw error }
            Console.complain("warning: responses are passed on and not stored: \(error)")
        }
    }
}
