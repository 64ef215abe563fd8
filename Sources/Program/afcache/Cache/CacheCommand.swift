import ArgumentParser

struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Look after a store: what it holds, whether it is sound, how much it may hold.",
        discussion: """
              afcache cache info --cache store       how much it holds
              afcache cache verify --cache store     whether it is sound
              afcache cache rollback docs --cache store
            """,
        subcommands: [
            CacheInfoCommand.self, CachePackagesCommand.self, CacheVerifyCommand.self, CacheRepairCommand.self,
            CacheRemoveCommand.self, CacheRollbackCommand.self, CachePinCommand.self, CacheUnpinCommand.self,
            CacheLimitCommand.self, CacheCollectCommand.self, CacheClearCommand.self,
        ]
    )
}
