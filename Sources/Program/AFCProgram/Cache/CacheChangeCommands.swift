import AFCCache
import AFCHTTP
import AFCText
import ArgumentParser

struct CacheRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a package from a cache.",
        discussion: """
            Resources that other packages contain remain available from them.

              afcache cache remove docs --cache cache
            """
    )

    @OptionGroup var package: ChangedPackage

    func run() async throws {
        let (store, patience) = try self.package.cache.open()
        let package = try await store.remove(self.package.name, patience: patience)
        Console.print(
            "removed \(PrintableText.quoted(package.name)): \(Quantity.count(package.resources, "resource")), "
                + Quantity.bytes(package.storedBytes)
        )
    }
}

struct CacheRollbackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Return to the previous version of a package.",
        discussion: """
            The current version becomes the previous one, so a second rollback undoes the first.

              afcache cache rollback docs --cache cache
            """
    )

    @OptionGroup var package: ChangedPackage

    func run() async throws {
        let (store, patience) = try self.package.cache.open()
        let package = try await store.rollBack(self.package.name, patience: patience)
        Console.print(
            "\(PrintableText.quoted(package.name)) is back to the version loaded at \(package.loaded.iso8601): "
                + Quantity.count(package.resources, "resource")
        )
    }
}

struct CachePinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Pin a package, so that it is never evicted.",
        discussion: "  afcache cache pin docs --cache cache"
    )

    @OptionGroup var package: ChangedPackage

    func run() async throws { try await package.pin(true) }
}

struct CacheUnpinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpin",
        abstract: "Unpin a package, so that it may be evicted when the cache is full.",
        discussion: "  afcache cache unpin docs --cache cache"
    )

    @OptionGroup var package: ChangedPackage

    func run() async throws { try await package.pin(false) }
}
