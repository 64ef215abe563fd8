import Foundation
import TestSupport
import Testing

/// A sample of what `scripts/crash-test` does in full: the built program is killed, and its disk made to fail, while it
/// changes a store.
struct CrashTests {
    static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Faults/faults.py").path

    /// Where nothing can be mounted, 'full', 'filled', 'cut' and 'readonly' say so and are left out.
    @Test(arguments: [
        ("kill", ["--rounds", "16"]), ("boundary", ["--step", "29"]), ("error", ["--step", "151"]),
        ("full", ["--step", "4"]), ("filled", []), ("cut", ["--rounds", "40"]), ("readonly", []),
        ("lost", ["--step", "5"]), ("pack", ["--step", "127"]), ("fix", ["--step", "3"]),
    ])
    func `a cache is intact after every fault`(kind: String, options: [String]) throws {
        let result = try Program.run("python3", [Self.script, Program.afcache, "--only", kind] + options)
        #expect(result.status == 0, "\(result.text)\(result.errors)")
        #expect(result.text.hasPrefix("\(kind): "))
        #expect(result.text.contains(": sound") || result.text.contains("left out, since"))
    }
}
