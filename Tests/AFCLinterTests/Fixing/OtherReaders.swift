import AFCLinter
import Foundation
import TestSupport
import Testing

/// Manifests before and after a fix, to be read again by readers that share nothing with the program.
///
/// `Programs/comparemanifests.py` has them: AFCache 0.6 and 0.13 as far as their sources are known, and a person.
final class OtherReaders {
    /// For each manifest, a line with three lengths, then its name, its bytes before, and those after.
    private var records: [UInt8] = []
    private var count = 0

    /// Keeps a manifest as it is, and as a fix makes it.
    func add(_ fix: FileFix, name: String) { add(fix.manifest, fix.fix.bytes, name: name) }

    /// Keeps a manifest as it was and as it is.
    func add(_ before: [UInt8], _ after: [UInt8], name: String) {
        count += 1
        records += Array("\(name.utf8.count) \(before.count) \(after.count)\n".utf8)
        records += Array(name.utf8) + before + after
    }

    /// What they read otherwise, one line each.
    func differences() throws -> [String] {
        guard count > 0 else { return [] }
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Programs/comparemanifests.py").path
        let scratch = try Scratch()
        let file = try scratch.write(records, to: "records")
        let result = try Program.run("python3", [program, file])
        var lines = result.text.split(separator: "\n").map(String.init)
        #expect(result.status == 0, "\(result.errors)")
        #expect(lines.popLast() == "\(count) compared")
        return lines
    }

    /// Expects that they read the same, and tells of the first manifests where they don't.
    func expectNoDifferences() throws {
        let found = try differences()
        #expect(found.isEmpty, "\(found.count) differ:\n\(found.prefix(5).joined(separator: "\n"))")
    }
}
