import AFCCaching
import AFCPackageFormat
import AFCText
import ArgumentParser

/// The options for a package, whether made from URLs or from a folder.
struct PackageArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Leave out what matches. For a crawl, this is a pattern as for '--include', also applied to what pages \
            need; for a folder, a glob for the paths of files. Repeatable.
            """,
            valueName: "pattern"
        )
    )
    var exclude: [String] = []

    @Option(
        name: [.customLong("max-age"), .customLong("maxage")],
        help: ArgumentHelp(
            "How long each resource stays fresh, for example 1d. (default: as its origin says; not stated for a folder)",
            valueName: "time"
        ),
        transform: TimeSpan.secondsArgument
    )
    var maxAge: Int64?

    @Option(
        help: """
            How many fields each line of the manifest has: 'afcache' writes four, or five if necessary. Use 'five' for \
            AFCache 0.13 and 'three' for AFCache 0.6.
            """
    )
    var dialect: ManifestDialect = .afcache

    @Flag(help: "Begin the manifest with a line that states the base URL, as AFCache 0.13 reads it.")
    var baseURLHeader = false

    @Option(
        help: ArgumentHelp(
            """
            A JSON file with rules for URL parameters that make no difference, in the form of '.afcache/match.json'. \
            They count where the package is served with '--match loose'.
            """,
            valueName: "file"
        ),
        completion: .file(extensions: ["json"])
    )
    var matchRules: String?

    @OptionGroup var sidecar: SidecarArguments

    @Flag(help: "Encrypt the package with AES-256. Names and sizes stay visible.")
    var encrypt = false

    @Option(
        help: ArgumentHelp(
            """
            A file whose first line is the password to encrypt with. (default: AFCACHE_PASSWORD, or a prompt)
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var passwordFile: String?

    @Option(help: "The compression level, from 1 (fastest) to 9 (smallest).")
    var level = 6

    @Flag(
        help: """
            Print the manifest as JSON (one document); with '--dry-run', print the plan as JSON (one object per line).
            """
    )
    var json = false

    func validate() throws {
        guard (1...9).contains(level) else { throw ValidationError("'--level' is \(level); it must be from 1 to 9") }
        guard matchRules == nil || !sidecar.noSidecar else {
            throw ValidationError(
                "rules for parameters are kept in the sidecar; remove '--no-sidecar' or '--match-rules'"
            )
        }
        guard encrypt || passwordFile == nil else { throw ValidationError("'--password-file' needs '--encrypt'") }
    }
}

extension MatchRules {
    /// Reads the rules in a file that the user wrote.
    ///
    /// - Throws: `CacheError` if it can't be read, or a usage error that names the line if it has no valid rules.
    static func argument(_ path: String) throws -> MatchRules {
        let bytes = try SmallFile.read(path, limit: PackageLayout.matchByteLimit)
        do throws(Malformation) {
            return try MatchRules(bytes)
        } catch {
            let line = error.offset.map { offset in 1 + bytes.prefix(offset).count { $0 == UInt8(ascii: "\n") } }
            let place = PrintableText.quoted(path) + (line.map { ", line \($0)" } ?? "")
            throw ValidationError("'--match-rules': \(place): \(error.reason)")
        }
    }
}

/// The options for the sidecar of a new package.
struct SidecarArguments: ParsableArguments {
    @Flag(
        help: """
            Don't write the folder '.afcache/' into the package. Statuses, header fields and redirects are then lost.
            """
    )
    var noSidecar = false

    @Option(
        help: ArgumentHelp(
            """
            Sign the package with this private key, made by 'afcache keygen'. Repeatable.
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var sign: [String] = []

    func validate() throws {
        guard sign.isEmpty || !noSidecar else {
            throw ValidationError("a signature is kept in the sidecar; remove '--no-sidecar' or '--sign'")
        }
    }

    /// The keys that sign the package.
    func signers() throws -> [SigningKey] { try sign.map { try KeyFile.signingKey($0) } }
}
