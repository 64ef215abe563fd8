import ArgumentParser
import HTTPCaching
import OfflineCache
import PackageFormat

struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load a package into a store: all of it, or nothing.",
        discussion: """
            The package is checked first: its archive, its manifest, and each body against size, checksum and digest. A \
            package of the same name is replaced in one step; whoever reads the store sees the old one or the new one. When \
            the command says that it is done, a power cut doesn't undo it.

              afcache load docs.zip --cache /var/lib/afcache
              afcache load news-2026-11-21.zip --name news --cache store
            """
    )

    @Argument(help: "The package.", completion: .file(extensions: ["zip"]))
    var package: String

    @Option(help: "The store; it is made where there is none.", completion: .directory)
    var cache: String

    @Option(help: "Under what name it is kept. (default: the file's name without suffix)")
    var name: String?

    @Flag(help: "Say what was loaded as JSON.")
    var json = false

    func run() async throws {
        let store = try OfflineCache(path: cache, access: .readWrite)
        let path = cache
        let loaded = try await store.install(package, name: name, now: Clock.now) {
            Console.complain("waiting for another process that writes to '\(path)'")
        }
        if json {
            Console.print(loaded.json.serialized)
        } else {
            let size = Size.text(loaded.bodyBytes)
            Console.print(
                "loaded \(PackageProblem.quoted(loaded.name)): \(Size.count(loaded.resources, "resource")), \(size)"
            )
        }
    }
}

extension InstalledPackage {
    var json: JSONValue {
        .object([
            ("name", .string(name)),
            ("resources", .number(String(resources))),
            ("bodyBytes", .number(String(bodyBytes))),
            ("loaded", .string(loaded.iso8601)),
            ("created", created.map { .string($0.iso8601) } ?? .null),
            ("generator", generator.map { .string($0) } ?? .null),
            ("seeds", .array(seeds.map { .string($0) })),
        ])
    }
}
