import AFCCache
import AFCCrawlRules
import AFCPackageFile
import AFCPackageFormat
import AFCText
import ArgumentParser

/// The options for a new package of a site, whether it is crawled, recorded or in a folder.
struct NewPackageOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Leave out what matches: URLs by a pattern as for 'afcache pack --include', also those of what pages need; \
            for a folder, paths of files by a glob. Repeatable.
            """,
            valueName: "pattern"
        )
    )
    var exclude: [String] = []

    @Option(
        help: ArgumentHelp(
            "How long each resource stays fresh, for example 1d. (default: as its origin says; not stated for a folder)",
            valueName: "time"
        ),
        transform: TimeSpan.secondsArgument
    )
    var maxAge: Int64?

    /// The patterns for URLs to leave out.
    func excludedURLs() throws -> [URLPattern] { try exclude.map { try URLPattern.argument($0) } }
}

/// The option for responses to other methods than GET.
struct PostOption: ParsableArguments {
    @Flag(
        help: """
            Also pack responses to POST and other methods. 'afcache serve' sends them again for the same method, URL and \
            body.
            """
    )
    var post = false
}

/// The options for how much of a site a new package takes, and how small it becomes.
struct NewPackageSizeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The largest body to take, for example 500M. A larger one is left out and reported. (default: 16Gi, or no \
            limit for a folder)
            """,
            valueName: "size"
        ),
        transform: ByteSize.argument
    )
    var maxBodyBytes: Int64?

    @Option(help: "The compression level, from 1 (fastest) to 9 (smallest).")
    var level = 6

    func validate() throws {
        guard (1...9).contains(level) else { throw ValidationError("'--level' is \(level); it must be from 1 to 9") }
    }
}

/// The options for what a new package consists of.
struct PackageFormOptions: ParsableArguments {
    @Option(
        help: """
            How many fields each line of the manifest has: 'afcache' writes four, or five if necessary. Use 'five' for \
            AFCache 0.13 and 'three' for AFCache 0.6.
            """
    )
    var dialect: ManifestDialect = .afcache

    @Flag(
        help: """
            Don't write the folder '.afcache/' into the package. Statuses, header fields and redirects are then lost.
            """
    )
    var noSidecar = false
}

/// The option for the name that a new package states.
struct PackageNameOption: ParsableArguments {
    @Option(
        help: """
            The package's own name: loading the package replaces the older one of this name. (default: that of the package \
            it is made from, or of the site that is crawled or packed)
            """
    )
    var name: String?

    func validate() throws {
        guard name.map(PackageName.isValidInside) ?? true else {
            throw ValidationError(
                "'--name' must have 1 to 255 bytes, no control characters, no '/' and no '\\', must not begin with '.' or "
                    + "'-', and must not begin or end with a space"
            )
        }
    }
}

extension PackageFormOptions {
    /// Returns the options for writing a package that is made now, of other packages.
    ///
    /// - Throws: An error of a key.
    func writing(_ signing: SigningOption) throws -> PackageWriter.Options {
        var options = PackageWriter.Options(created: Clock.now, generator: "afcache/\(AFCacheCommand.version)")
        options.dialect = dialect
        options.writesSidecar = !noSidecar
        options.signers = try signing.signers()
        return options
    }

    /// Throws a usage error if the sidecar is left out, and should state a name or a signature.
    func requireSidecar(_ naming: PackageNameOption, _ signing: SigningOption) throws {
        guard noSidecar else { return }
        guard naming.name == nil else {
            throw ValidationError("the package's name is kept in the sidecar; remove '--no-sidecar' or '--name'")
        }
        guard signing.sign.isEmpty else {
            throw ValidationError("a signature is kept in the sidecar; remove '--no-sidecar' or '--sign'")
        }
    }
}

/// The option for keys that sign a package or a channel.
struct SigningOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("Sign with this private key, made by 'afcache keygen'. Repeatable.", valueName: "file"),
        completion: .file()
    )
    var sign: [String] = []

    /// The keys that sign.
    func signers() throws -> [SigningKey] { try sign.map { try KeyFile.signingKey($0) } }
}

/// The options for a package in caches, whether a user loads it or a channel lists it.
struct PackageSettingsOptions: ParsableArguments {
    @Option(help: "The name of the package in caches. (default: its own name, or else its file's without suffix)")
    var name: String?

    @Option(
        parsing: .unconditional,
        help: """
            The priority when several packages contain the same URL: the highest is served. (default: 0, or the current \
            value)
            """
    )
    var priority: Int?

    @Flag(inversion: .prefixedNo, help: "Never evict this package. (default: no, or the current value)")
    var pin: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: """
            Make a search index for 'afcache serve' whenever this package is loaded. (default: no, or the current value)
            """
    )
    var searchIndex: Bool?

    /// The settings that the options change.
    var change: PackageSettings.Change {
        PackageSettings.Change(priority: priority, isPinned: pin, isSearchable: searchIndex)
    }
}

/// The option for discarding what an interrupted command left.
struct RestartOption: ParsableArguments {
    @Flag(help: "Discard what an interrupted run for this output left, and start over instead of resuming it.")
    var restart = false
}
