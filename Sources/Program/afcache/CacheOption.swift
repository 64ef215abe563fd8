import AFCCache
import AFCPackageFormat
import AFCPlatform
import AFCText
import ArgumentParser

/// The cache that a command works on: for all commands that need one.
struct CacheOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("The cache. (default: \(CacheFolder.variable))", valueName: "dir"),
        completion: .directory
    )
    var cache: String?

    // Whether one is named at all is asked last: a misspelt '--cache' is better called that.
    func validate() throws { _ = try CacheFolder.named(cache) }

    /// The folder that was named.
    ///
    /// - Throws: A usage error where none was.
    func path() throws -> String {
        let path = try CacheFolder.required(cache)
        Console.detail("using cache '\(path)'" + (cache == nil ? " of \(CacheFolder.variable)" : ""))
        return path
    }

    /// Opens the cache.
    func open(_ access: OfflineCache.Access) throws -> OfflineCache { try OfflineCache(path: path(), access: access) }
}

/// A cache that a command changes: which one, how long to wait for others, and how much is said.
struct ChangedCache: ParsableArguments {
    @OptionGroup var cache: CacheOption

    @OptionGroup var waiting: WaitOptions

    @OptionGroup var verbosity: VerbosityOptions

    /// Opens the cache.
    func open() throws -> (store: OfflineCache, patience: WriterPatience) {
        let path = try cache.path()
        return (try OfflineCache(path: path, access: .existing), waiting.patience(for: path))
    }
}

/// A package in a cache that a command changes.
struct ChangedPackage: ParsableArguments {
    @Argument(help: "The package's name.")
    var name: String

    @OptionGroup var cache: ChangedCache

    /// Keeps the package when the cache is full, or no longer.
    func pin(_ isPinned: Bool) async throws {
        let (store, patience) = try cache.open()
        let package = try await store.update(name, isPinned: isPinned, patience: patience)
        Console.print("\(isPinned ? "pinned" : "unpinned") \(PrintableText.quoted(package.name))")
    }
}

/// Where the folder of a cache is named: in an option, or else in the environment.
enum CacheFolder {
    /// The variable that names the cache for commands without `--cache`.
    static let variable = "AFCACHE_CACHE"

    /// The folder, or nil where none was named.
    ///
    /// - Parameter option: The value of `--cache`.
    /// - Returns: The folder.
    /// - Throws: A usage error where the name is empty, as that of a shell's variable which isn't set: it would be the
    ///   current folder.
    static func named(_ option: String?) throws -> String? {
        if let option {
            guard !option.isEmpty else {
                throw ValidationError("'--cache': the path of the cache is empty; name a folder")
            }
            return option
        }
        guard let value = getenv(variable) else { return nil }
        guard value[0] != 0 else {
            throw ValidationError("\(variable): the path of the cache is empty; name a folder, or unset it")
        }
        return String(cString: value)
    }

    /// The folder.
    ///
    /// - Parameter option: The value of `--cache`.
    /// - Returns: The folder.
    /// - Throws: A usage error where none was named, or the name is empty.
    static func required(_ option: String?) throws -> String {
        guard let path = try named(option) else {
            throw ValidationError("no cache is named; use '--cache', or set \(variable)")
        }
        return path
    }
}

/// How long a command waits for another process that writes to the store.
struct WaitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            How long to wait for another process that writes to the cache, for example 30s; 0 doesn't wait. \
            (default: as long as it takes)
            """,
            valueName: "time"
        ),
        transform: TimeSpan.secondsArgument
    )
    var wait: Int64?

    /// The rule, which says on standard error whom it waits for.
    func patience(for cache: String) -> WriterPatience {
        WriterPatience(seconds: wait.map { Int($0) }) { holder in
            Console.note("waiting for \(holder), which writes to '\(cache)'")
        }
    }
}
