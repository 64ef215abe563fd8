import AFCText
import AFCURL
import Foundation
import TestSupport
import Testing

@testable import AFCBrowser

/// Browsers that don't do what they should; each is a shell script.
struct BrowserTests {
    /// The beginning of a script that notes its process, and answers the first command, which asks for its version.
    private static let answers =
        #"echo $$ >> "${0%/*}/pids"; head -c 1 <&3 >/dev/null; printf '{"id":1,"result":{}}\000' >&4; "#

    private func render(
        _ script: String,
        in folder: String,
        _ change: (inout Browser.Options) -> Void = { _ in }
    ) async throws -> RenderedPage {
        let path = folder + "/browser"
        // Another process writes the file: what this one starts meanwhile would inherit it, and it couldn't be run.
        let write = #"printf '#!/bin/sh\n%s\n' "$1" > "$2" && chmod 755 "$2""#
        _ = try run("sh", "-c", write, "sh", script, path)
        var options = Browser.Options(searchPath: "/usr/bin:/bin", temporaryFolder: "/tmp")
        options.program = path
        options.startTime = .seconds(30)
        change(&options)
        let browser = try Browser(options)
        do {
            let page = try await browser.render(try WebURL("http://docs.example/")) { _ in .refused }
            await browser.end()
            return page
        } catch {
            await browser.end()
            throw error
        }
    }

    private func pids(_ folder: String) -> [Int32] {
        let text = FileManager.default.contents(atPath: folder + "/pids") ?? Data()
        return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { Int32($0) }
    }

    @Test func `a browser that doesn't answer after its start can't be used`() async throws {
        try await withScratchFolder { folder in
            let error = await #expect(throws: BrowserError.self) {
                _ = try await render("echo $$ >> \"${0%/*}/pids\"; sleep 1000", in: folder) {
                    $0.startTime = .milliseconds(500)
                }
            }
            #expect(error?.code == .unavailable)
            #expect(error?.message == "it was started, and didn't answer within 0 seconds")
            for pid in pids(folder) { #expect(kill(pid, 0) == -1) }
        }
    }

    @Test(arguments: ["exit 0", "exit 1", "printf 'no JSON\\000' >&4; sleep 1000", "exec 3<&- 4>&-; sleep 1000"])
    func `a browser that ends after its start can't be used`(script: String) async throws {
        try await withScratchFolder { folder in
            let error = await #expect(throws: BrowserError.self) {
                _ = try await render(script, in: folder) { $0.startTime = .seconds(2) }
            }
            #expect(error?.code == .unavailable)
        }
    }

    @Test func `a page that hangs is noted, and its browser is ended`() async throws {
        try await withScratchFolder { folder in
            let page = try await render(Self.answers + "sleep 1000", in: folder) { $0.pageTime = .milliseconds(300) }
            #expect(page.note == .slow)
            #expect(pids(folder).count == 1)
            for pid in pids(folder) { #expect(kill(pid, 0) == -1) }
        }
    }

    @Test func `a browser that crashes is started again, once for each page`() async throws {
        try await withScratchFolder { folder in
            let page = try await render(Self.answers + "exit 1", in: folder)
            #expect(page.note == .crashed)
            #expect(pids(folder).count == 2)
        }
    }

    @Test(arguments: [0, 1, 100]) func `events that nobody reads are bounded, and it is known that some are missing`(
        more: Int
    ) async throws {
        let (own, theirs) = try #require(BrowserProcess.pair())
        let connection = try await BrowserConnection(socket: own)
        let events = connection.events(of: "s")
        let count = BrowserConnection.eventLimit + more
        let message = Data(#"{"method":"m","sessionId":"s"}"#.utf8) + [0]
        let browser = FileHandle(fileDescriptor: theirs, closeOnDealloc: true)
        try browser.write(contentsOf: Data(repeatElement(message, count: count).joined()))
        try browser.close()
        try await waitUntil("the connection is closed") { connection.isClosed }
        var read = 0
        for await _ in events { read += 1 }
        #expect(read == BrowserConnection.eventLimit)
        #expect(connection.leave(["s"]) == (more > 0))
    }

    @Test func `a browser is stopped with the task that waits for it`() async throws {
        try await withScratchFolder { folder in
            let task = Task { try await render("echo $$ >> \"${0%/*}/pids\"; sleep 1000", in: folder) }
            try await waitUntil("the browser has started") { !pids(folder).isEmpty }
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            for pid in pids(folder) { #expect(kill(pid, 0) == -1) }
        }
    }
}
