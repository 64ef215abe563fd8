import ArgumentParser
import OfflineCache

/// How long a command waits for another process that writes to the store.
struct WaitOptions: ParsableArguments {
    @Option(
        help: "How many seconds to wait for another process that writes to the store. (default: as long as it takes)"
    )
    var wait: Int?

    func validate() throws {
        guard let wait, wait < 0 else { return }
        throw ValidationError("'--wait' is a number of seconds")
    }

    /// The rule, which says on standard error whom it waits for.
    func patience(for cache: String) -> WriterPatience {
        WriterPatience(seconds: wait) { holder in
            Console.complain("waiting for \(holder), which writes to '\(cache)'")
        }
    }
}
