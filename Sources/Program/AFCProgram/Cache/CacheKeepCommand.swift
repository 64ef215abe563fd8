import AFCCache
import AFCPackageFormat
import AFCText
import ArgumentParser

struct CacheKeepCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep",
        abstract: "Keep more versions of packages in a cache.",
        discussion: """
            Without this, a cache keeps the current version of a package and the previous one. Versions that are no longer \
            kept are removed at once, and whenever the package is loaded again. 'afcache serve' shows all that are kept.

              afcache cache keep docs --generations 50 --cache cache
              afcache cache keep docs --for 90d --cache cache
            """
    )

    @Argument(help: "The name of a package. (default: all packages)")
    var names: [String] = []

    @Option(
        help: ArgumentHelp(
            "Keep so many versions, the current one too, or 'default' to keep one earlier version again.",
            valueName: "count"
        ),
        transform: KeptVersions.argument
    )
    var generations: KeptVersions?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Keep the versions that were current within this time.", valueName: "time"),
        transform: TimeSpan.validityArgument
    )
    var time: Duration?

    @OptionGroup var cache: ChangedCache

    func validate() throws {
        guard (generations == nil) != (time == nil) else {
            throw ValidationError("name either '--generations' or '--for'")
        }
        guard time.map({ $0 >= .seconds(1) }) ?? true else {
            throw ValidationError("'--for' must be a second at least")
        }
    }

    func run() async throws {
        let (store, patience) = try cache.open()
        let known = try store.packages().map(\.name)
        // Before anything is changed.
        for name in names where !known.contains(name) { _ = try store.generation(of: name, at: nil) }
        let all = names.isEmpty ? known : names
        let retention = time.map { PackageSettings.Retention.seconds($0.components.seconds) } ?? generations?.retention
        var change = PackageSettings.Change()
        change.retention = .some(retention)
        for name in all {
            let package = try await store.update(name, change, now: Clock.now, patience: patience)
            let words =
                switch retention {
                case nil: "the previous version only"
                case .versions(let count): Quantity.count(count, "version")
                case .seconds(let seconds): "the versions of the last \(Self.span(seconds))"
                }
            Console.print(
                "\(PrintableText.quoted(package.name)) keeps \(words); it has \(Quantity.count(package.versions.count, "version")) now"
            )
        }
    }
}

extension CacheKeepCommand {
    private static func span(_ seconds: Int64) -> String {
        seconds % 86_400 == 0 ? Quantity.count(seconds / 86_400, "day") : Quantity.duration(.seconds(seconds))
    }
}

/// A number of versions, or the default.
struct KeptVersions {
    /// The setting; nil for the default.
    var retention: PackageSettings.Retention?

    static func argument(_ text: String) throws -> KeptVersions {
        guard text != "default" else { return KeptVersions(retention: nil) }
        let limit = PackageSettings.Retention.versionLimit
        guard let count = Int(text), (1...limit).contains(count) else {
            throw ValidationError("\(PrintableText.quoted(text)) is no number from 1 to \(limit)")
        }
        return KeptVersions(retention: .versions(count))
    }
}
