import Foundation
import Linter
import TestSupport
import Testing

/// Manifests before and after a fix, to be read again by readers that share nothing with the program.
///
/// `Programs/comparemanifests.py` has them: AFCache 0.6 and 0.13 as far as their sources are known, and a person.
final class OtherReaders {
    private let scratch: Scratch
    private var count = 0

    init() throws { scratch = try Scratch() }

    /// Keeps a manifest as it is, and as a fix makes it.
    func add(_ fix: FileFix, name: String) throws { try add(fix.manifest, fix.fix.bytes, name: name) }

    /// Keeps a manifest as it was and as it is.
    func add(_ before: [UInt8], _ after: [UInt8], name: String) throws {
        count += 1
        try scratch.write(before, to: "\(count).before")
        try scratch.write(after, to: "\(count).after")
        try scratch.write(Array(name.utf8), to: "\(count).txt")
    }

    /// What they read otherwise, one line each.
    func differences() throws -> [String] {
        guard count > 0 else { return [] }
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Programs/comparemanifests.py").path
        let result = try Program.run("python3", [program, scratch.path])
        var lines = result.text.split(separator: "\n").map(String.init)
        #expect(result.status == 0, "\(result.errors)")
        #expect(lines.popLast() == "\(count) compared")
        return lines
    }
}
