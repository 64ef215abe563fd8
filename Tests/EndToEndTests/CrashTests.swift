import Foundation
import TestSupport
import Testing

/// A sample of what `scripts/crash-test` does in full: the built program is killed, and its disk made to fail, while it
/// changes a store.
struct CrashTests {
    static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Faults/faults.py").path

    /// False only where the script says that nothing can be mounted; whatever else fails, fails in the tests.
    private static let canMount: Bool = {
        let noMounts: Int32 = 3
        return (try? Program.run("python3", [script, Program.afcache, "--can-mount"]).status) != noMounts
    }()

    private static func test(_ kind: String, _ options: [String]) throws {
        let result = try Program.run("python3", [script, Program.afcache, "--only", kind] + options)
        #expect(result.status == 0, "\(result.text)\(result.errors)")
        #expect(result.text.hasPrefix("\(kind): "), "\(result.text)")
        #expect(result.text.contains(": sound"), "\(result.text)")
        #expect(!result.text.contains("left out"), "\(result.text)")
    }

    /// The kinds of faults.
    ///
    /// ThreadSanitizer can't start where files may not grow: it maps a file of its own.
    private static let faults =
        [
            ("kill", ["--rounds", "16"]), ("boundary", ["--step", "29"]), ("error", ["--step", "151"]),
            ("lost", ["--step", "5"]), ("pack", ["--step", "29"]), ("fix", ["--step", "3"]),
        ] + (ProcessInfo.processInfo.environment["TSAN_OPTIONS"] == nil ? [("size", ["--step", "4"])] : [])

    @Test(arguments: faults)
    func `a cache is intact after every fault`(kind: String, options: [String]) throws {
        try Self.test(kind, options)
    }

    @Test(
        .enabled(if: canMount, "only root can mount disks that are full or fail, and not in every container"),
        arguments: [("full", ["--step", "4"]), ("filled", []), ("cut", ["--rounds", "60"]), ("readonly", [])]
    )
    func `a cache is intact after every fault of a disk`(kind: String, options: [String]) throws {
        try Self.test(kind, options)
    }

    /// The script leaves out each fault on purpose, and reports the sentence with which the test of it fails.
    @Test func `the test of a fault fails if the fault is left out`() throws {
        let options = ["--prove"] + (Self.canMount ? [] : ["--without-mounts"])
        let result = try Program.run("python3", [Self.script, Program.afcache] + options)
        #expect(result.status == 0, "\(result.text)\(result.errors)")
        #expect(result.text.contains("\nproved: "), "\(result.text)")
    }
}
