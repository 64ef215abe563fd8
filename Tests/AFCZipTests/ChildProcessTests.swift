import AFCFiles
import AFCProcess
import Testing

/// Programs that are run to their end.
struct ChildProcessTests {
    private func output(_ script: String, input: String = "", limit: Int = 1000, within seconds: Double = 30)
        throws(FileError) -> (status: Int32, output: [UInt8])
    {
        try ChildProcess.output(
            of: ["sh", "-c", script],
            environment: ["PATH=/usr/bin:/bin", "NAME=anna"],
            input: Array(input.utf8),
            limit: limit,
            within: seconds
        )
    }

    @Test(arguments: [
        ("cat", "text\n", 0, "text\n"), ("read x; echo $x $NAME", "a\n", 0, "a anna\n"), ("exit 3", "unread", 3, ""),
        ("exec 1>&-; sleep 0.1; exit 4", "", 4, ""), ("echo no; exit 1", "", 1, "no\n"),
        ("kill -9 $$", "", 137, ""),
    ])
    func `a program gets its input, and its output and status are returned`(
        script: String,
        input: String,
        status: Int32,
        text: String
    ) throws {
        let result = try output(script, input: input)
        #expect(result.status == status)
        #expect(String(decoding: result.output, as: UTF8.self) == text)
    }

    @Test(arguments: [
        ("while :; do echo yes; done", "it printed more than 1000 bytes"),
        ("exec sleep 60", "it took longer than 0 seconds"),
        ("exec 1>&-; exec sleep 60", "it took longer than 0 seconds"),
    ])
    func `a program that doesn't end is killed`(script: String, reason: String) {
        do throws(FileError) {
            _ = try output(script, within: script.hasPrefix("while") ? 30 : 0.2)
            Issue.record("it ended")
        } catch {
            #expect(error.message == "'sh' was stopped: \(reason)")
        }
    }

    @Test func `a program that isn't there is an error`() {
        #expect(throws: FileError.self) {
            try ChildProcess.output(of: ["no-such-program"], environment: [], input: [], limit: 1, within: 1)
        }
    }
}
