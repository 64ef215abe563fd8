import AFCCache
import ArgumentParser

/// How long a command waits for another process that writes to the store.
struct WaitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            How long to wait for another process that writes to the cache, for example 30s; 0 doesn't wait. \
            (default: as long as it takes)
            """,
            valueName: "time"
        ),
        transform: TimeSpan.secondsArgument
    )
    var wait: Int64?

    /// The rule, which says on standard error whom it waits for.
    func patience(for cache: String) -> WriterPatience {
        WriterPatience(seconds: wait.map { Int($0) }) { holder in
            Console.note("waiting for \(holder), which writes to '\(cache)'")
        }
    }
}
