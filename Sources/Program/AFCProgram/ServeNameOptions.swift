internal import AFCCache
internal import AFCFiles
public import AFCServer
internal import AFCURL
public import ArgumentParser

/// What is done with references that a browser without a proxy couldn't follow.
enum LinkHandling: String, ExpressibleByArgument, CaseIterable {
    case replace, keep
}

/// The options for the names under which `afcache serve` is reached.
struct ServeNameOptions: ParsableArguments {
    @Option(
        name: .customLong("server-name"),
        help: ArgumentHelp(
            """
            A host by which other machines reach this server, for its own pages: a name, or '*.school.lan' if all names \
            below school.lan lead here; each site then has a name there. Repeatable.
            """,
            valueName: "host"
        )
    )
    var names: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Also listen on these ports, for example 8100-8199, and give each site one of them, so that machines that \
            know only this server's address can read it. The table is kept beside the cache.
            """,
            valueName: "ports"
        )
    )
    var sitePorts: PortRange?

    @Option(
        help: ArgumentHelp(
            """
            Serve this site under any host, from its root on: for kiosks, containers, and behind other servers. The \
            server's own pages are then at the host of '--own-pages' only.
            """,
            valueName: "url"
        )
    )
    var site: String?

    @Option(
        help: ArgumentHelp(
            """
            With '--site', the host of the server's own pages, which must not be a host of the site's readers; 'off' \
            for none. (default: off)
            """,
            valueName: "host"
        )
    )
    var ownPages: String?

    @Option(
        help: """
            What to do with references in pages and style sheets that a browser without a proxy gets: 'replace' those \
            that mean packaged sites, or 'keep' them.
            """
    )
    var links: LinkHandling = .replace

    @Option(
        help: """
            What to do when a reader follows a link that leads out of the packages, unless '--links keep' is given: \
            'ask' shows where it leads, 'open' follows it, and 'block' doesn't.
            """
    )
    var external: ExternalLinks = .ask

    func validate() throws {
        for name in names {
            guard Self.isHost(name.hasPrefix("*.") ? String(name.dropFirst(2)) : name) else {
                throw ValidationError("'--server-name \(name)' is no host name; write one without scheme and port")
            }
        }
        if let site {
            guard let url = try? WebURL(site), url.isHTTP || url.scheme == "afcpkg", url.host != nil else {
                throw ValidationError("'--site \(site)' is no URL of a site; write one such as https://docs.example/")
            }
            guard names.isEmpty else {
                throw ValidationError("'--site' answers under any host; remove '--server-name', or use '--own-pages'")
            }
            guard sitePorts == nil else {
                throw ValidationError("'--site' is one site, and '--site-ports' are for several; remove one of them")
            }
        }
        if let ports = sitePorts?.ports, ports.count > SitePorts.limit {
            throw ValidationError("'--site-ports' may have at most \(SitePorts.limit) ports; it has \(ports.count)")
        }
        guard let ownPages else { return }
        guard site != nil else { throw ValidationError("'--own-pages' needs '--site'") }
        guard ownPages == "off" || Self.isHost(ownPages) else {
            throw ValidationError(
                "'--own-pages \(ownPages)' is no host name; write one without scheme and port, or 'off'"
            )
        }
    }

    private static func isHost(_ text: String) -> Bool { Authority(text).map { $0.port == nil } ?? false }

    /// Returns a sentence if nothing of the site is stored, which may change while the server runs.
    func warning(_ store: any OfflineAnswering) throws -> String? {
        guard let site, let url = try? WebURL(site), try !store.hasResources(beginningWith: url) else { return nil }
        let origins = Set(try store.origins().map(\.origin)).sorted().prefix(5).joined(separator: ", ")
        return "nothing of '\(site)' is stored\(origins.isEmpty ? "" : "; stored is \(origins)")"
    }

    /// Applies the options to a responder.
    func apply(to responder: inout CacheResponder) {
        responder.rewrites = links == .replace
        responder.external = external
    }

    /// Applies the options to a server's settings.
    ///
    /// - Parameters:
    ///   - configuration: The settings.
    ///   - folder: The folder of the table of ports; nil for the user's own.
    /// - Throws: `FileError` if the table can't be read.
    func apply(to configuration: inout Server.Configuration, folder: String?) throws {
        if let ports = sitePorts?.ports {
            let home = try folder ?? UserFolder.data(orElse: "set it, or XDG_DATA_HOME")
            if folder == nil { try FolderTree<FileError>.make(home, mode: 0o700) }
            let file = home + "/site-ports"
            configuration.sitePorts = try SitePorts(ports, file: file) { error in
                Console.complain("warning: ports of sites may change with the next start, since \(error)")
            }
        }
        configuration.names = names
        configuration.site = site.flatMap { try? WebURL($0) }
        configuration.ownPagesHost = ownPages == "off" ? nil : ownPages
    }
}

extension ExternalLinks: ExpressibleByArgument {}
