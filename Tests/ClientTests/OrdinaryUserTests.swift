import Foundation
import TestSupport
import Testing

/// The server as an ordinary user runs it: what only root may do must not be needed.
@Suite(.fewAtOnce)
struct OrdinaryUserTests {
    private static let page = "<p>a page</p>\n"

    /// A store with one page, and all of it the user's.
    private func scratch() async throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write(Array(Self.page.utf8), to: "in/index.html")
        try await Served.load(scratch, baseURL: "http://docs.example")
        try OrdinaryUser.give(scratch.path)
        return scratch
    }

    @Test func `an ordinary user's server answers consecutive requests`() async throws {
        let scratch = try await scratch()
        try await Served.run([], in: scratch, as: .ordinary) { served in
            let url = served.base + "/docs.example/index.html"
            let answers = try await curl("--remote-name-all", "-o", "-", "-o", "-", url, url)
            #expect(answers.exit == 0, "\(answers.errors)")
            #expect(answers.text.hasSuffix(Self.page))
            #expect(try await curl(url).text == Self.page)
        }
    }

    @Test func `an ordinary user's server answers at the sockets that systemd opened, also at a Unix socket`()
        async throws
    {
        let scratch = try await scratch()
        let path = scratch.path("socket")
        let serve = [try OrdinaryUser.program(in: scratch), "serve", "--cache", scratch.path("store")]
        let program = try Programs.start(
            "python3",
            [Programs.path("activate.py"), "tcp", path, "tcp", "--"] + OrdinaryUser.prefix + serve
        )
        defer { _ = program.stop(SIGKILL) }
        let names = try #require(try await program.firstLine()).split(separator: " ").map(String.init)
        try #require(names.count == 3)
        for port in [names[0], names[2]] {
            let answer = try await curl("http://127.0.0.1:\(port)/docs.example/index.html")
            #expect(answer.text == Self.page, "\(answer.errors) \(program.errors)")
        }
        let answer = try await curl("--unix-socket", path, "http://localhost/docs.example/index.html")
        #expect(answer.text == Self.page, "\(answer.errors) \(program.errors)")
    }
}
