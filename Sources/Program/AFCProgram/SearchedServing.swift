import AFCCache
import AFCFiles
import AFCSearch
import AFCServer

extension Server {
    /// Runs a server until a signal ends it, and meanwhile makes the search indices that are missing.
    ///
    /// - Parameters:
    ///   - responder: The responder.
    ///   - configuration: The settings; without a search, no index is made.
    ///   - cache: The cache that indices are kept in; nil if mounted packages are served.
    ///   - onReady: Called once the server listens.
    /// - Throws: An error if the server can't run.
    static func run(
        responder: any Responding,
        configuration: Configuration,
        keepingSearchOf cache: DiskCache?,
        onReady: @escaping @Sendable (Address) async -> Void
    ) async throws {
        guard let library = configuration.search else {
            return try await run(responder: responder, configuration: configuration, onReady: onReady)
        }
        try await library.keeping(cache) {
            try await run(responder: responder, configuration: configuration, onReady: onReady)
        }
    }
}

extension SearchLibrary {
    /// Makes the indices that are missing while work is done.
    ///
    /// - Parameters:
    ///   - cache: The cache that indices are kept in; nil for mounted packages.
    ///   - body: The work.
    /// - Throws: The error of the work.
    func keeping(_ cache: DiskCache?, during body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            let keeper = SearchKeeper(self, cache: cache, temporaryFolder: OutputTarget.temporaryFolder)
            tasks.addTask { await keeper.run { Console.complain("warning: \($0)") } }
            try await body()
            tasks.cancelAll()
        }
    }
}
