import AFCCache
import AFCHTTP
import AFCText
import ArgumentParser

struct CacheRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Take a package out of a store; what others brought stays.",
        discussion: "  afcache cache remove docs --cache cache"
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
        abstract: "Return to what a package was before it was loaded last.",
        discussion: """
            The current generation becomes the previous one, so a second rollback undoes the first.

              afcache cache rollback docs --cache cache
            """
    )

    @OptionGroup var package: ChangedPackage

    func run() async throws {
        let (store, patience) = try self.package.cache.open()
        let package = try await store.rollBack(self.package.name, patience: patience)
        Console.print(
            "\(PrintableText.quoted(package.name)) is again what was loaded at \(package.loaded.iso8601): "
                + Quantity.count(package.resources, "resource")
        )
    }
}

struct CachePinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Keep a package when the store is full.",
        discussion: "  afcache cache pin docs --cache cache"
    )

    @OptionGroup var package: ChangedPackage

    func run() async throws { try await package.pin(true) }
}

struct CacheUnpinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpin",
        abstract: "Let a package leave when the store is full.",
        discussion: "  afcache cache unpin docs --cache cache"
    )

    @OptionGroup var package: ChangedPackage

    func run() async throws { try await package.pin(false) }
}
