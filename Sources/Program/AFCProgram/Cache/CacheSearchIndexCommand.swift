import AFCCache
import AFCFiles
import AFCSearch
import AFCText
import ArgumentParser

struct CacheSearchIndexCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search-index",
        abstract: "Make the search indices of packages in a cache.",
        discussion: """
            'afcache serve' searches packages by these indices. It makes missing ones itself while it runs, so this \
            command is needed only if the server can't write to the cache, or if searches must work at once.

              afcache cache search-index --cache cache
              afcache cache search-index docs --cache cache
            """
    )

    @Argument(help: "The names of the packages. (default: all packages)")
    var names: [String] = []

    @OptionGroup var cache: ChangedCache

    func run() async throws {
        let (store, patience) = try cache.open()
        let generations = try store.currentGenerations()
        for name in names where !generations.contains(where: { $0.package == name }) {
            let names = generations.prefix(10).map { PrintableText.quoted($0.package) }.joined(separator: ", ")
            let message =
                "the cache has no package \(PrintableText.quoted(name)); it holds \(names.isEmpty ? "none" : names)"
            throw CacheError(.noPackage, subject: store.path, message: message)
        }
        for generation in generations where names.isEmpty || names.contains(generation.package) {
            try await SearchIndexOutput.make(generation, in: store, patience)
        }
    }
}

/// The search index that a command makes, and what it prints about it.
enum SearchIndexOutput {
    /// Makes and stores the search index of a generation, and prints its size.
    static func make(_ generation: CurrentGeneration, in store: DiskCache, _ patience: WriterPatience) async throws {
        let report = try await SearchKeeper.makeNow(
            generation,
            in: store,
            temporaryFolder: OutputTarget.temporaryFolder,
            patience: patience
        )
        guard let report else { return }
        Console.print(
            "indexed \(PrintableText.quoted(generation.package)): \(Quantity.count(report.pages, "page")), "
                + "\(Quantity.count(report.words, "word")), \(Quantity.bytes(report.bytes))"
        )
    }

    /// Makes the search index of a loaded package if its settings ask for one and it has none.
    static func makeIfWanted(_ name: String, in store: DiskCache, _ patience: WriterPatience) async throws {
        guard let generation = try store.currentGenerations().first(where: { $0.package == name }),
            generation.isSearchable, generation.searchIndex() == nil
        else { return }
        _ = try await SearchKeeper.makeNow(
            generation,
            in: store,
            temporaryFolder: OutputTarget.temporaryFolder,
            patience: patience
        )
    }
}
