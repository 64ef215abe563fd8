import AFCCache
import AFCPackageFormat
import AFCPlatform
internal import AFCText
import ArgumentParser

/// The option for the cache that a command works on.
struct CacheOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder of the cache. (default: \(CacheFolder.variable), else the user's own)",
            valueName: "dir"
        ),
        completion: .directory
    )
    var cache: String?

    // A missing cache is reported later, so that a misspelled '--cache' is reported as such; so is an empty variable, which
    // doesn't matter to a command that reads a package.
    func validate() throws { if cache != nil { _ = try CacheFolder.named(cache) } }

    /// Returns the folder that was named.
    ///
    /// - Throws: A usage error if none was.
    func path() throws -> String {
        let path = try CacheFolder.required(cache)
        Console.detail("using cache '\(path)'" + (cache == nil ? " of \(CacheFolder.variable)" : ""))
        return path
    }

    /// Opens the cache.
    func open(_ access: DiskCache.Access) throws -> DiskCache { try DiskCache(path: path(), access: access) }
}

/// The options for a cache that a command changes.
struct ChangedCache: ParsableArguments {
    @OptionGroup var cache: CacheOption

    @OptionGroup var waiting: WaitOptions

    @OptionGroup var verbosity: VerbosityOptions

    /// Opens the cache.
    func open() throws -> (store: DiskCache, patience: WriterPatience) {
        let path = try cache.path()
        return (try DiskCache(path: path, access: .existing), waiting.patience(for: path))
    }
}

/// The argument and options for a package in a cache that a command changes.
struct ChangedPackage: ParsableArguments {
    @Argument(help: "The name of the package.")
    var name: String

    @OptionGroup var cache: ChangedCache

    /// Pins or unpins the package.
    func pin(_ isPinned: Bool) async throws {
        let (store, patience) = try cache.open()
        let package = try await store.update(name, .init(isPinned: isPinned), patience: patience)
        Console.print("\(isPinned ? "pinned" : "unpinned") \(PrintableText.quoted(package.name))")
    }
}

/// The folder of a cache, named by an option or by the environment.
enum CacheFolder {
    /// The environment variable that names the cache for commands without `--cache`.
    static let variable = "AFCACHE_CACHE"

    /// The folder that the environment names; nil if it names none.
    static var ofVariable: String? { getenv(variable).map { String(cString: $0) } }

    /// The value of `--cache` on this command line, for remedies; nil if there is none.
    static var typed: String? {
        let arguments = CommandLine.arguments.dropFirst().prefix { $0 != "--" }
        for (place, argument) in zip(arguments.indices, arguments) where argument.hasPrefix("--cache") {
            if argument.hasPrefix("--cache=") { return String(argument.dropFirst(8)) }
            if argument == "--cache", place + 1 < arguments.endIndex { return arguments[place + 1] }
        }
        return nil
    }

    /// Returns the folder, or nil if none was named.
    ///
    /// - Parameter option: The value of `--cache`.
    /// - Returns: The folder.
    /// - Throws: A usage error if the name is empty, as with a shell variable that isn't set: it would mean the current
    ///   folder.
    static func named(_ option: String?) throws -> String? {
        if let option {
            guard !option.isEmpty else {
                throw ValidationError("'--cache': the path of the cache is empty; name a folder")
            }
            return option
        }
        guard let value = getenv(variable) else { return nil }
        if value[0] == UInt8(ascii: "~"), value[1] == 0 || value[1] == UInt8(ascii: "/") {
            throw ValidationError(
                "\(variable): '~' isn't expanded in \(PrintableText.quoted(String(cString: value))); write the whole path"
            )
        }
        guard value[0] != 0 else {
            throw ValidationError("\(variable): the path of the cache is empty; name a folder, or unset it")
        }
        return String(cString: value)
    }

    /// Returns the folder; if none is named, the user's own.
    ///
    /// - Parameter option: The value of `--cache`.
    /// - Returns: The folder.
    /// - Throws: A usage error if the name is empty.
    static func required(_ option: String?) throws -> String { try named(option) ?? own() }

    /// The user's own cache; for root, that of the service that `make install` installs.
    private static func own() throws -> String {
        guard geteuid() != 0 else { return "/var/lib/afcache" }
        return try UserFolder.data(orElse: "name a cache with '--cache', or set \(variable)") + "/cache"
    }
}

/// The option for how long a command waits for another process that changes the cache or the channel.
struct WaitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Wait at most this long for another process that changes the same cache or channel, for example 30s; 0 \
            doesn't wait. (default: no limit)
            """,
            valueName: "time"
        ),
        transform: TimeSpan.secondsArgument
    )
    var wait: Int64?

    /// Returns the waiting rule, which names on standard error the process that it waits for.
    func patience(for cache: String) -> WriterPatience {
        WriterPatience(seconds: wait.map { Int($0) }) { holder in
            Console.note("waiting for \(holder), which writes to '\(cache)'")
        }
    }
}
