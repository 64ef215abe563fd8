import AFCCache
import AFCCaching
import AFCFiles
import AFCModelContext
import AFCResolver
import AFCSearch
import AFCServer
import AFCText
import ArgumentParser

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve a cache or packages over HTTP: offline, as a reverse proxy, or as a forward proxy.",
        discussion: """
            A page of docs.example can be requested in four ways: through the server as an HTTP proxy; with the field \
            'Host: docs.example'; at http://docs-example.localhost:PORT/, a name that browsers resolve to this machine; \
            and at http://localhost:PORT/docs.example/. The root of the server lists what is available offline.

            The server connects to origins only with '--origin' or '--forward-proxy'. Otherwise it is offline, and a \
            URL that isn't stored gets status 504. On SIGTERM, SIGINT or SIGHUP it finishes responses in progress; \
            another signal, a second later, stops it at once.

            Packages can be served from their zip files, without a cache and without extracting them, and always \
            offline. Clients that accept gzip get the compressed data of the zip.

              afcache serve site.zip
              afcache serve --cache cache
              afcache serve --cache cache --port 8080 --expired refuse
              afcache serve --cache cache --tls-cert site.pem --tls-key site.key --access-log access.log
              afcache serve --cache cache --origin http://127.0.0.1:3000 --stale-if-offline forever
              afcache serve --cache cache --forward-proxy --ca ~/.config/afcache/ca
              curl --proxy http://127.0.0.1:8080 http://docs.example/guide/
            """
    )

    private static let defaultPort: UInt16 = 8080

    @Argument(
        help: ArgumentHelp(
            """
            Packages to serve instead of a cache. If several have a URL, the newest response is served.
            """,
            valueName: "package"
        ),
        completion: .file(extensions: ["zip"])
    )
    var packages: [String] = []

    @OptionGroup var cache: CacheOption

    @Option(
        help: ArgumentHelp(
            """
            Where to keep indexes of large packages, so that the next start is fast; 'none' keeps none. (default: \
            ~/.cache/afcache/mounts)
            """,
            valueName: "dir"
        ),
        completion: .directory
    )
    var mountCache: String?

    @Option(
        help: ArgumentHelp(
            """
            The index of one of the packages, written by 'afcache mount-index'. Use only one that you trust: whoever \
            made it decides what is served.
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var mountIndex: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            The address to listen on. With 0.0.0.0, everyone on the network can read what is served.
            """,
            valueName: "address"
        )
    )
    var listen = "127.0.0.1"

    @OptionGroup var port: PortOption

    @OptionGroup var answering: AnswerOptions

    @Flag(
        inversion: .prefixedNo,
        help: """
            Offer a search over all packages on the home page, and make missing search indices in the background.
            """
    )
    var search = true

    @Option(
        help: ArgumentHelp(
            """
            The most memory for responses that are sent again without being looked up, such as 64MB; 0 for none. The \
            default is a sixteenth of the memory, at most 1 GiB.
            """,
            valueName: "size"
        ),
        transform: ByteSize.argument
    )
    var memory: Int64?

    @Flag(
        help: """
            Give what is served to AI agents on this machine, too, over the Model Context Protocol, at /.afcache/mcp.
            """
    )
    var mcp = false

    @Flag(
        help: """
            Allow '--mcp' at an address that other machines reach. Everyone on the network can then use it.
            """
    )
    var mcpRemote = false

    @OptionGroup var usage: UsageOptions

    @Flag(
        help: """
            Ask a server that is running at this address and port if it is healthy, as the health check of a container. The \
            exit code is 0 if it is, and 1 if not.
            """
    )
    var probe = false

    @OptionGroup(title: "Names")
    var naming: ServeNameOptions

    @OptionGroup(title: "TLS")
    var secure: ServeSecureOptions

    @OptionGroup(title: "Logs")
    var logs: ServeLogOptions

    @OptionGroup(title: "Online")
    var online: ServeOnlineOptions

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        try PortOption.requireNone(in: listen)
        guard naming.sitePorts == nil || online.origin == nil else {
            throw ValidationError("'--site-ports' can't be combined with '--origin'; remove one of them")
        }
        if let ports = naming.sitePorts?.ports, ports.contains(port.port ?? Self.defaultPort) {
            throw ValidationError("'--site-ports' needs a '--port' outside its range for the server's own pages")
        }
        guard naming.site == nil || !online.isOnline else {
            throw ValidationError(
                "'--site' can't be combined with '--origin' and '--forward-proxy'; remove one of them"
            )
        }
        try validateAgents()
        guard packages.isEmpty else {
            guard cache.cache == nil else {
                throw ValidationError(
                    "'--cache' can't be combined with packages; load them into the cache, or remove '--cache'"
                )
            }
            guard !online.isOnline else {
                throw ValidationError(
                    "'--origin' and '--forward-proxy' need a cache; load the packages into one with 'afcache load'"
                )
            }
            return
        }
        guard mountIndex.isEmpty else { throw ValidationError("'--mount-index' needs a package to serve") }
        guard mountCache == nil else { throw ValidationError("'--mount-cache' needs a package to serve") }
    }

    private func validateAgents() throws {
        guard mcp else {
            guard !mcpRemote else { throw ValidationError("'--mcp-remote' needs '--mcp'") }
            guard usage.ignorePreference.isEmpty else {
                throw ValidationError("'--ignore-preference' needs '--mcp'")
            }
            return
        }
        guard search else { throw ValidationError("'--mcp' needs the search; remove '--no-search'") }
        guard !online.isOnline else {
            throw ValidationError("'--mcp' can't be combined with '--origin' and '--forward-proxy'; start two servers")
        }
        guard naming.site == nil || naming.ownPages ?? "off" != "off" else {
            throw ValidationError("'--mcp' is at the host of '--own-pages', which '--site' needs for it")
        }
    }

    /// Offers the packages to agents, if that is wanted.
    private func offer(
        _ store: any SearchedPackages,
        _ library: SearchLibrary?,
        in configuration: inout Server.Configuration
    ) throws {
        guard mcp, let library else { return }
        guard configuration.isForThisMachineOnly || mcpRemote else {
            throw ValidationError(
                "'--mcp' is for this machine only; allow other machines to use it with '--mcp-remote'"
            )
        }
        configuration.endpoint = HTTPEndpoint(ContextServer(store, library, answering, usage))
    }

    func run() async throws {
        guard !probe else { return try await ask() }
        try Server.requireOpenFiles()
        try logs.requireWritable()
        if packages.isEmpty { try await serveCache() } else { try await servePackages() }
    }

    /// Asks a running server if it is healthy.
    private func ask() async throws {
        let isSecure = secure.tlsCert != nil || secure.tlsAuthority != nil
        guard let url = HealthQuestion.url(listen: listen, port: port.port ?? Self.defaultPort, isSecure: isSecure)
        else {
            throw ValidationError("'--listen \(listen)' is no address; write one such as 127.0.0.1")
        }
        guard let problem = await HealthQuestion.problem(at: url) else { return Console.print("ok") }
        Console.complain("unhealthy: \(url): \(problem)")
        throw ExitCode(ExitStatus.findings.rawValue)
    }

    private func servePackages() async throws {
        var options = MountedPackages.Options()
        options.indexFolder = MountFolder.named(mountCache)
        options.indexes = mountIndex
        options.verifiesBodies = answering.verify
        options.onNotKept = { path, reason in
            let package = PrintableText.quoted(path)
            Console.complain("warning: the next start reads all of \(package) again, since \(reason)")
        }
        let store = try MountedPackages(packages, options: options, now: Clock.now)
        if let warning = try naming.warning(store) { Console.complain("warning: \(warning)") }
        try online.warn(of: store.origins().map(\.origin))
        let library = search ? SearchLibrary(store) : nil
        var own = CacheResponder(
            store: store,
            policy: OfflinePolicy(expired: answering.expired),
            matching: answering.match,
            search: library,
            now: { Clock.now }
        )
        naming.apply(to: &own)
        if let memory { own.limitMemory(memory) }
        let accessLog = try logs.openAccessLog()
        var configuration = try configuration(accessLog)
        configuration.search = library
        try offer(store, library, in: &configuration)
        configuration.health = { try store.requireServable() }
        configuration.sitePorts?.add(store.origins())
        try await Server.run(
            responder: online.offline(own),
            configuration: configuration,
            keepingSearchOf: nil,
            onReady: announce(configuration)
        )
        accessLog?.flush()
        if let stopped = configuration.stopped { ServeLogOptions.report(stopped) }
        if let missing = configuration.missing { try logs.report(missing) }
    }

    /// Returns the settings of the server.
    private func configuration(_ accessLog: AccessLog?) throws -> Server.Configuration {
        var configuration = Server.Configuration(
            host: listen,
            port: port.port ?? Self.defaultPort,
            now: { Clock.now }
        )
        configuration.certificates = try secure.certificates()
        configuration.sockets = SocketActivation.inherit()
        try naming.apply(to: &configuration, folder: packages.isEmpty ? cache.path() : nil)
        if let memory { configuration.memoryBytes = Int(clamping: memory) }
        configuration.onAnswer = logs.onAnswer(accessLog)
        configuration.sendsTiming = logs.serverTiming
        configuration.missing = MissingURLs()
        configuration.stopped = StoppedRequests()
        return configuration
    }

    /// Returns the function that says where the server listens.
    private func announce(
        _ configuration: Server.Configuration
    ) -> @Sendable (Server.Address) async -> Void {
        let scheme = configuration.certificates == nil ? "http" : "https"
        let (isLogOnOutput, isForAgents) = (logs.isOnOutput, mcp)
        return { address in
            let line = "serving at \(scheme)://\(address)/"
            // With '--access-log -', standard output contains the log only.
            var lines = [line] + Self.addresses(address, scheme, configuration)
            if isForAgents { lines.append("agents open \(scheme)://\(address)\(Server.endpointPath)") }
            if address.elsewhere.isEmpty, !configuration.names.isEmpty || configuration.sitePorts != nil {
                Console.complain(
                    "warning: only this machine can connect to \(address); other machines can with '--listen 0.0.0.0', or "
                        + "through a server on this machine"
                )
            }
            for line in lines { if isLogOnOutput { Console.complain(line) } else { Console.print(line) } }
            Console.flush()
        }
    }

    /// Returns a line for each further address under which the server, or a site, can be opened.
    private static func addresses(
        _ address: Server.Address,
        _ scheme: String,
        _ configuration: Server.Configuration
    ) -> [String] {
        let most = 20
        let elsewhere = address.elsewhere
        var lines: [String] = []
        if elsewhere != [address] {
            lines += elsewhere.prefix(most).map { "other machines open \(scheme)://\($0)/" }
        }
        // Below '*.school.lan', sites have their names, and the server's own pages are at 'school.lan'.
        lines += configuration.names.prefix(elsewhere.isEmpty ? 0 : most).map {
            "other machines open \(scheme)://\($0.hasPrefix("*.") ? $0.dropFirst(2) : $0[...]):\(address.port)/"
        }
        var place = elsewhere.first ?? address
        let sites = configuration.sitePorts?.sites ?? []
        for site in sites.prefix(most) {
            place.port = site.port
            lines.append("\(site.origin) is at \(scheme)://\(place)/")
        }
        if sites.count > most { lines.append("\(sites.count - most) more sites are listed on the home page") }
        return lines
    }

    private func serveCache() async throws {
        let accessLog = try logs.openAccessLog()
        var configuration = try configuration(accessLog)
        let announcing = announce(configuration)
        guard let (store, isAnnounced) = try await openCache(configuration, onReady: announcing) else {
            accessLog?.flush()
            return
        }
        if let warning = try naming.warning(store) { Console.complain("warning: \(warning)") }
        configuration.sitePorts?.add(try store.origins())
        try online.warn(of: store.origins().map(\.origin))
        let onReady: @Sendable (Server.Address) async -> Void = { address in
            if !isAnnounced { await announcing(address) }
        }
        // What is received from origins makes a cache again.
        if !online.isOnline { configuration.health = { try store.requireServable() } }
        // A gateway has no home page.
        let library = search && online.origin == nil ? SearchLibrary(store) : nil
        configuration.search = library
        try offer(store, library, in: &configuration)
        let (responder, resolver) = try online.responder(
            store,
            policy: OfflinePolicy(expired: answering.expired),
            matching: answering.match,
            search: library,
            naming: naming,
            memory: memory
        )
        if online.isOnline { try Self.startReceiving(store) }
        try await Server.run(
            responder: responder,
            configuration: configuration,
            keepingSearchOf: store,
            onReady: onReady
        )
        // Requests to origins that are in progress would be stored after the cache is closed.
        await resolver?.shutDown()
        try store.close()
        accessLog?.flush()
        if let stopped = configuration.stopped { ServeLogOptions.report(stopped) }
        if let missing = configuration.missing { try logs.report(missing) }
    }

    /// Opens the cache; if a service manager has opened the sockets, and there is no cache yet, waits for it.
    ///
    /// - Returns: The cache, and whether the server's addresses were printed; nil if a signal came first.
    private func openCache(
        _ configuration: Server.Configuration,
        onReady: @escaping @Sendable (Server.Address) async -> Void
    ) async throws -> (DiskCache, isAnnounced: Bool)? {
        let path = try cache.path()
        let access: DiskCache.Access = online.isOnline ? .readWrite : .readOnly
        do throws(CacheError) {
            return (try DiskCache(path: path, access: access, verifiesBodies: answering.verify), false)
        } catch {
            guard error.code == .noCache, access == .readOnly, !configuration.sockets.isEmpty else { throw error }
            Console.complain("there is no cache at \(PrintableText.quoted(path)) yet; it is served once there is one")
        }
        let found = try await AwaitedCache.open(
            path,
            verifiesBodies: answering.verify,
            configuration: configuration,
            onReady: onReady
        )
        return found.map { ($0, true) }
    }

    /// Starts storing responses; if the disk is full, the server starts nevertheless and tries again later.
    private static func startReceiving(_ store: DiskCache) throws {
        do throws(CacheError) {
            try store.startReceiving()
        } catch {
            guard error.code == .inputOutput else { throw error }
            Console.complain("warning: responses are passed on but not stored: \(error)")
        }
    }
}
