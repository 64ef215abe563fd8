import AFCCache
import AFCHTTP
internal import AFCPackageFormat
import AFCText
import ArgumentParser

struct CacheInfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Show how much a cache holds.",
        discussion: """
            'bodies' is the size of all bodies; a body that several versions share counts once. 'received' is the part \
            that came from origins while serving. 'on disk' is the space used by the whole cache, including its indexes.

              afcache cache info --cache cache
            """
    )

    @OptionGroup var cache: CacheOption

    @OptionGroup var format: JSONOption

    @OptionGroup var verbosity: VerbosityOptions

    func run() async throws {
        let store = try cache.open(.readOnly)
        let info = try store.info()
        if format.json {
            Console.print(info.json.serialized)
            return
        }
        Console.print("packages   \(info.packages)")
        Console.print("entries    \(info.entries)\(info.limits.entries.map { " of \($0)" } ?? "")")
        Console.print(
            "bodies     \(Quantity.bytes(info.bodyBytes))\(info.limits.bytes.map { " of \(Quantity.bytes($0))" } ?? "")"
        )
        if info.received > 0 { Console.print("received   \(info.received), \(Quantity.bytes(info.receivedBytes))") }
        Console.print("on disk    \(Quantity.bytes(info.diskBytes))")
        Console.print("version    \(info.version)")
    }
}

extension CacheInfo {
    fileprivate var json: JSONValue {
        .object([
            ("packages", .number(String(packages))),
            ("entries", .number(String(entries))),
            ("bodyBytes", .number(String(bodyBytes))),
            ("received", .number(String(received))),
            ("receivedBytes", .number(String(receivedBytes))),
            ("diskBytes", .number(String(diskBytes))),
            ("entryLimit", limits.entries.map { .number(String($0)) } ?? .null),
            ("byteLimit", limits.bytes.map { .number(String($0)) } ?? .null),
            ("version", .number(String(version))),
        ])
    }
}

struct CacheListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List the packages in a cache.",
        discussion: "  afcache cache ls --cache cache --json"
    )

    @OptionGroup var cache: CacheOption

    @OptionGroup var format: JSONLinesOption

    @OptionGroup var verbosity: VerbosityOptions

    func run() async throws {
        let store = try cache.open(.readOnly)
        for package in try store.packages() {
            if format.json {
                Console.print(package.json.serialized)
                continue
            }
            var notes: [String] = []
            let settings = package.settings
            if settings.priority != 0 { notes.append("priority \(settings.priority)") }
            if settings.isPinned { notes.append("pinned") }
            if settings.isSeparable { notes.append("separable") }
            if settings.isSearchable { notes.append("search index") }
            if let previous = package.previousLoaded {
                let earlier = package.versions.count - 1
                notes.append(
                    earlier == 1
                        ? "previous version of \(previous.iso8601)"
                        : "\(earlier) earlier versions, the previous one of \(previous.iso8601)"
                )
            }
            let end = notes.isEmpty ? "" : "  \(notes.joined(separator: ", "))"
            Console.print(
                "\(Quantity.padded(String(package.resources), 8, left: true)) "
                    + "\(Quantity.padded(Quantity.bytes(package.storedBytes), 8, left: true))  \(package.loaded.iso8601)  "
                    + PrintableText.quoted(package.name) + end
            )
        }
    }
}

struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Inspect and manage a cache.",
        discussion: """
              afcache cache info --cache cache            show how much it holds
              afcache cache verify --cache cache          check it for damage
              afcache cache rollback docs --cache cache   return to the previous version
            """,
        subcommands: [
            CacheInfoCommand.self, CacheListCommand.self, CacheVerifyCommand.self, CacheRepairCommand.self,
            CacheRemoveCommand.self, CacheRollbackCommand.self, CacheKeepCommand.self, CachePinCommand.self,
            CacheUnpinCommand.self,
            CacheSearchIndexCommand.self,
            CacheLimitCommand.self, CacheCollectCommand.self, CacheClearCommand.self,
        ]
    )
}
