import AFCCaching
import AFCPackageFormat
import AFCText
import ArgumentParser

/// The options for a package, whether made from URLs or from a folder.
struct PackageArguments: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Begin the manifest with a line that states the base URL, as AFCache 0.13 reads it.",
            visibility: .hidden
        )
    )
    var baseURLHeader = false

    @Option(
        help: ArgumentHelp(
            """
            A JSON file with rules for URL parameters that make no difference, in the form of '.afcache/match.json'. \
            They count where the package is served with '--match loose'.
            """,
            valueName: "file",
            visibility: .hidden
        ),
        completion: .file(extensions: ["json"])
    )
    var matchRules: String?

    @Flag(
        help: """
            Encrypt the package with AES-256, by a password that you type or set in AFCACHE_PASSWORD. Names and sizes stay \
            visible.
            """
    )
    var encrypt = false

    @OptionGroup(visibility: .hidden) var password: PasswordOption

    @Flag(
        name: .customLong("try"),
        help: """
            Open the finished package in Chromium, without a network, and say what is missing, as 'afcache try' does. The \
            exit code is 5 if something is.
            """
    )
    var tries = false

    func validate() throws {
        guard encrypt || password.passwordFile == nil else {
            throw ValidationError("'--password-file' needs '--encrypt'")
        }
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
