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

    /// The kinds of faults that one run of the script tests; each number makes a kind a sample.
    private static func test(_ kinds: [String]) throws {
        let result = try Program.run("python3", [script, Program.afcache, "--only", kinds.joined(separator: ",")])
        #expect(result.status == 0, "\(result.text)\(result.errors)")
        let lines = result.text.split(separator: "\n")
        #expect(lines.count == kinds.count)
        for (kind, line) in zip(kinds, lines) {
            #expect(line.hasPrefix("\(kind.prefix { $0 != ":" }): ") && line.contains(": sound"), "\(line)")
        }
    }

    /// ThreadSanitizer can't start where files may not grow: it maps a file of its own.
    private static let sizes = ProcessInfo.processInfo.environment["TSAN_OPTIONS"] == nil ? ["size:4"] : []

    @Test(arguments: [["kill:16", "boundary:29", "lost:5"] + sizes, ["error:151"], ["pack:29", "fix:3"]])
    func `a cache is intact after every fault`(kinds: [String]) throws {
        try Self.test(kinds)
    }

    @Test(.enabled(if: canMount, "only root can mount disks that are full or fail, and not in every container"))
    func `a cache is intact after every fault of a disk`() throws {
        try Self.test(["full:4", "filled", "cut:60", "readonly"])
    }

    /// The script leaves out each fault on purpose, and reports the sentence with which the test of it fails.
    @Test func `the test of a fault fails if the fault is left out`() throws {
        let options = ["--prove"] + (Self.canMount ? [] : ["--without-mounts"])
        let result = try Program.run("python3", [Self.script, Program.afcache] + options)
        #expect(result.status == 0, "\(result.text)\(result.errors)")
        #expect(result.text.contains("\nproved: "), "\(result.text)")
    }
}
