import AFCLinter
import AFCText
import ArgumentParser

/// The words that people try because other programs have such commands.
enum CommandSynonyms {
    /// The words, each with what to type instead of it.
    private static let words: [(names: Set<String>, command: String)] = [
        (
            [
                "archive", "build", "create", "download", "fetch", "grab", "make", "mirror", "new", "save",
                "wget", "zip",
            ], "pack"
        ),
        (["add", "import", "ingest", "install", "put"], "load"),
        (["check", "test", "validate"], "lint"),
        (["contents", "dir", "files", "list", "urls"], "ls"),
        (["extract", "unarchive", "unzip", "x"], "unpack"),
        (["cat", "curl", "print", "read", "show"], "get"),
        (["browse", "browser", "preview", "view"], "open"),
        (["daemon", "host", "httpd", "proxy", "run", "server", "start", "web"], "serve"),
        (["agent", "agents", "ai"], "mcp"),
        (["compare"], "diff"),
        (["describe", "inspect", "stat"], "info"),
        (["combine", "concat", "join"], "merge"),
        (["compress", "convert", "optimize"], "repack"),
        (["sign"], "repack FILE -o NEW.zip --sign KEY"), (["fix"], "lint --fix FILE"),
        (["encrypt"], "pack --encrypt"),
        (["html"], "export"),
        (["publish", "upload"], "push"),
        (["docker", "oci"], "image"),
        (["authority", "cert", "certificate", "certs"], "ca"),
        (["genkey", "key", "keys"], "keygen"),
        (["pull"], "load oci://HOST/NAME:TAG"),
        (["delete", "remove", "rm", "uninstall", "unload"], "cache remove"),
        (["clean", "prune", "vacuum"], "cache gc"),
        (["caches", "status", "stats", "usage"], "cache info"),
        (["purge"], "cache clear"),
        (["revert", "undo"], "cache rollback"),
        (["find", "query", "search"], "serve"),
        (["version"], "--version"),
        (["completion", "completions"], "--generate-completion-script bash"),
    ]

    /// Returns what a word that is no command probably means, or nil.
    static func advice(for word: String, below command: any ParsableCommand.Type) -> String? {
        if command == CrawlCommand.self, word.contains("://") {
            return "'afcache crawl' is for crawls in parts; to pack a site, write "
                + PrintableText.quoted("afcache pack \(word) -o site.zip")
        }
        let word = word.lowercased()
        if command == CacheCommand.self { return adviceBelowCache(for: word) }
        if command == ChannelCommand.self, ["create", "init", "make"].contains(word) {
            return "use 'afcache channel new'"
        }
        if command == ChannelCommand.self, ["list", "ls", "info"].contains(word) {
            return "use 'afcache channel show'"
        }
        if command == ChannelCommand.self, ["publish", "update"].contains(word) {
            return "use 'afcache channel add' and 'afcache channel sign', and upload the file"
        }
        if command == CertificateCommand.self {
            switch word {
            case "trust", "install", "import":
                return "'afcache ca export > FILE' writes the certificate to import into a browser or the system"
            case "new", "make", "init", "generate": return "use 'afcache ca create'"
            case "list", "info": return "use 'afcache ca show'"
            default: return nil
            }
        }
        if command == AFCacheCommand.self, word == "verify" {
            return
                "use 'afcache lint FILE' for a package, with '--require-signature --trust KEYS' for its signature, and "
                + "'afcache cache verify' for a cache"
        }
        guard command == AFCacheCommand.self else { return nil }
        switch word {
        case "update", "upgrade":
            return "'afcache pack URL -o FILE --update' updates a package, and 'afcache sync' the packages of a cache"
        case "edit":
            return
                "unzip the package, edit its files, zip them, and accept the edits with 'afcache repack EDITED.zip -o NEW.zip "
                + "--edited'"
        case "mount":
            return "'afcache serve FILE' and 'afcache open FILE' read a package where it is, without unpacking it"
        case "man": return "use 'afcache manual', or 'man afcache' where afcache is installed"
        case "stop", "quit", "kill": return "a server runs until Control-C, or until its service manager stops it"
        case "login", "logout": return "use 'docker \(word)' or 'skopeo \(word)', whose logins are used"
        default: break
        }
        let places = command.configuration.subcommands.flatMap { group in
            group.configuration.subcommands.map {
                (group.configuration.commandName ?? "", $0.configuration.commandName)
            }
        }
        let found =
            words.first { $0.names.contains(word) }?.command
            ?? command.configuration.subcommands.first { $0.configuration.commandName == word }?.configuration
            .commandName
            ?? places.first { $0.1 == word }.map { "\($0.0) \(word)" }
        return found.map { "use 'afcache \($0)'" }
    }

    /// Returns the sentence for a file, a folder or a URL where a command is expected; nil for other words.
    static func sentence(forSubject word: String) -> String? {
        let shown = PrintableText.quoted(word)
        func call(_ words: String) -> String { PrintableText.quoted("afcache " + words) }
        if word.contains("://") {
            return
                "name a command before \(shown): \(call("pack \(word) -o site.zip")) makes a package, \(call("open \(word)")) "
                + "shows the site offline"
        }
        if Path.isCache(word) {
            return "name a command before \(shown): \(call("serve --cache \(word)")) serves the cache, "
                + "\(call("ls --cache \(word)")) lists it"
        }
        if Path.isFolder(word) {
            return "name a command before \(shown): \(call("pack --folder \(word) -o site.zip")) makes a package, "
                + "\(call("open \(word)")) shows it"
        }
        guard Path.isZip(word) else { return nil }
        return
            "name a command before \(shown): \(call("open \(word)")) shows the package, \(call("lint \(word)")) checks it"
    }

    private static func adviceBelowCache(for word: String) -> String? {
        switch word {
        case "list", "packages": "use 'afcache cache ls'"
        case "show", "describe": "use 'afcache cache info'"
        case "check", "fsck": "use 'afcache cache verify'"
        case "load", "add", "install": "use 'afcache load'"
        case "update", "upgrade", "refresh": "use 'afcache load' with the new package, or 'afcache sync'"
        default:
            words.first { $0.names.contains(word) && $0.command.hasPrefix("cache ") }.map {
                "use 'afcache \($0.command)'"
            }
        }
    }

    /// Returns the command of a group whose name is almost the word, such as `cache remove`, or nil.
    static func nearest(to word: String, below command: any ParsableCommand.Type) -> String? {
        guard command == AFCacheCommand.self else { return nil }
        let groups = command.configuration.subcommands.filter {
            $0.configuration.shouldDisplay && $0 != CacheCommand.self
        }
        for group in [CacheCommand.self] + groups {
            let names = group.configuration.subcommands.compactMap { $0.configuration.commandName }
            if let near = NearestName.nearest(to: word, among: names) {
                return "\(group.configuration.commandName ?? "") \(near)"
            }
        }
        return nil
    }
}
