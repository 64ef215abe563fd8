import AFCCaching
import AFCPackageFormat
import ArgumentParser

/// What a package is like, whatever it is made of.
struct PackageArguments: ParsableArguments {
    @Option(help: "Leave out what matches: a glob, or for URLs also a regular expression as re:…. Repeatable.")
    var exclude: [String] = []

    @Option(
        name: [.customLong("max-age"), .customLong("maxage")],
        help: ArgumentHelp(
            "How long each resource is fresh, for example 1d. (default: as its origin says; not stated for a folder)",
            valueName: "time"
        ),
        transform: TimeSpan.secondsArgument
    )
    var maxAge: Int64?

    @Option(help: "afcache, three, four or five: the manifest's dialect; 'five' for AFCache 0.13, 'three' for 0.6.")
    var dialect: ManifestDialect = .afcache

    @Flag(help: "Begin the manifest with AFCache 0.13's header line.")
    var baseURLHeader = false

    @OptionGroup var sidecar: SidecarArguments

    @Flag(help: "Encrypt the package with AES-256; names and sizes stay visible.")
    var encrypt = false

    @Option(
        help: "A file whose first line is the password to encrypt with. (default: AFCACHE_PASSWORD, or typed)",
        completion: .file()
    )
    var passwordFile: String?

    @Option(help: "How hard to deflate, 1 to 9.")
    var level = 6

    @Flag(help: "Print the manifest as JSON.")
    var json = false

    func validate() throws {
        guard (1...9).contains(level) else { throw ValidationError("--level is \(level); it must be 1 to 9") }
        guard encrypt || passwordFile == nil else { throw ValidationError("--password-file needs --encrypt") }
    }
}

/// What stands beside the manifest of a new package.
struct SidecarArguments: ParsableArguments {
    @Flag(help: "Write no '.afcache/': statuses, fields and redirects are lost.")
    var noSidecar = false

    @Option(
        help: "A private key, made by 'afcache keygen', that signs the package. Repeatable.",
        completion: .file()
    )
    var sign: [String] = []

    func validate() throws {
        guard sign.isEmpty || !noSidecar else {
            throw ValidationError("a signed package needs its sidecar; leave out '--no-sidecar', or '--sign'")
        }
    }

    /// The keys that sign the package.
    func signers() throws -> [SigningKey] { try sign.map { try KeyFile.signingKey($0) } }
}
