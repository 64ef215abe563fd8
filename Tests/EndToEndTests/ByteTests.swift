import Foundation
import TestSupport
import Testing

/// A sample of what `scripts/byte-test` does in full: bodies of every framing and every end go through the built program.
@Suite(.timeLimit(.minutes(10)))
struct ByteTests {
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Bytes/bytes.py").path

    @Test func `every body is whole or an error, to the client and in the store`() throws {
        let options = ["--runs", "80", "--largest", "6000000", "--clients", "8"]
        let result = try Program.run("python3", [Self.script, Program.afcache] + options)
        #expect(result.status == 0, "\(result.text)\(result.errors)")
        #expect(result.text.contains("every body whole or an error"))
    }
}
