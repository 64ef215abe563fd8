import AFCCache
import AFCCaching
import AFCHTTP
import AFCPackageFormat
import AFCText
import ArgumentParser

struct CacheRemoveCommand: AsyncParsableCommand, VerboseCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Take a package out of a store; what others brought stays.",
        discussion: "  afcache cache remove docs --cache store"
    )

    @Argument(help: "The package's name.")
    var name: String

    @OptionGroup var cache: CacheOption

    @OptionGroup var waiting: WaitOptions

    @OptionGroup var verbosity: VerbosityOptions

    func run() async throws {
        let cache = try self.cache.path()
        let store = try OfflineCache(path: cache, access: .existing)
        let package = try await store.remove(name, patience: waiting.patience(for: cache))
        Console.print(
            "removed \(PrintableText.quoted(package.name)): \(Quantity.count(package.resources, "resource")), "
                + Quantity.bytes(package.storedBytes)
        )
    }
}

struct CacheRollbackCommand: AsyncParsableCommand, VerboseCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Return to what a package was before it was loaded last.",
        discussion: """
            The current generation becomes the previous one, so a second rollback undoes the first.

              afcache cache rollback docs --cache store
            """
    )

    @Argument(help: "The package's name.")
    var name: String

    @OptionGroup var cache: CacheOption

    @OptionGroup var waiting: WaitOptions

    @OptionGroup var verbosity: VerbosityOptions

    func run() async throws {
        let cache = try self.cache.path()
        let store = try OfflineCache(path: cache, access: .existing)
        let package = try await store.rollBack(name, patience: waiting.patience(for: cache))
        Console.print(
            "\(PrintableText.quoted(package.name)) is again what was loaded at \(package.loaded.iso8601): "
                + Quantity.count(package.resources, "resource")
        )
    }
}

struct CachePinCommand: AsyncParsableCommand, VerboseCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Keep a package when the store is full.",
        discussion: "  afcache cache pin docs --cache store"
    )

    @Argument(help: "The package's name.")
    var name: String

    @OptionGroup var cache: CacheOption

    @OptionGroup var waiting: WaitOptions

    @OptionGroup var verbosity: VerbosityOptions

    func run() async throws {
        let cache = try self.cache.path()
        let store = try OfflineCache(path: cache, access: .existing)
        let package = try await store.update(name, .init(isPinned: true), patience: waiting.patience(for: cache))
        Console.print("pinned \(PrintableText.quoted(package.name))")
    }
}

struct CacheUnpinCommand: AsyncParsableCommand, VerboseCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpin",
        abstract: "Let a package leave when the store is full.",
        discussion: "  afcache cache unpin docs --cache store"
    )

    @Argument(help: "The package's name.")
    var name: String

    @OptionGroup var cache: CacheOption

    @OptionGroup var waiting: WaitOptions

    @OptionGroup var verbosity: VerbosityOptions

    func run() async throws {
        let cache = try self.cache.path()
        let store = try OfflineCache(path: cache, access: .existing)
        let package = try await store.update(name, .init(isPinned: false), patience: waiting.patience(for: cache))
        Console.print("unpinned \(PrintableText.quoted(package.name))")
    }
}
