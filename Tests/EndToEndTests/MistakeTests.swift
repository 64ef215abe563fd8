import Foundation
import TestSupport
import Testing

/// What somebody is told who mistakes a command, a file or a server for another one: what is wrong, and what to type.
struct MistakeTests {
    /// A folder with the package `p.zip`, the package `none.zip` without resources, and the cache `store` with the first.
    private static func made() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write(Array("<p>guide</p>".utf8), to: "in/index.html")
        let base = ["pack", "--folder", "in", "--base-url", "http://d.example", "--name", "p", "-o", "p.zip"]
        #expect(try afcache(base, in: scratch).status == 0)
        #expect(try afcache(["load", "p.zip", "--cache", "store"], in: scratch).status == 0)
        try scratch.write([], to: "manifest.afcache")
        let zip = ["-q", scratch.path("none.zip"), "manifest.afcache"]
        #expect(try Program.run("zip", zip, in: scratch.path).status == 0)
        return scratch
    }

    private static func afcache(_ arguments: [String], in scratch: Scratch) throws -> ProgramResult {
        try Program.run(Program.afcache, arguments, in: scratch.path)
    }

    @Test(arguments: [
        ("list", "ls"), ("add", "load"), ("extract", "unpack"), ("validate", "lint"), ("crawl", "pack"), ("CAT", "get"),
        ("browse", "open"), ("rm", "cache remove"), ("rollback", "cache rollback"), ("version", "--version"),
    ])
    func `a command of another program is translated`(word: String, command: String) throws {
        let scratch = try Scratch()
        let result = try Self.afcache([word, "p.zip"], in: scratch)
        #expect(result.status == 64)
        #expect(result.errors == "error: there is no command '\(word)'; use 'afcache \(command)'\n")
    }

    @Test(arguments: [
        (["pack", "http://d.example/", "-o", ""], 64, "'--output' is empty; name a file"),
        (
            ["pack", "http://d.example/", "x.zip"], 64,
            "'x.zip' is not an absolute URL: it has no scheme such as 'http:'; the package to write is named with '-o'"
        ),
        (["serve", "--listen", "127.0.0.1:80"], 64, "'--listen' takes no port; write '--listen 127.0.0.1 --port 80'"),
        (
            ["record", "-o", "x.zip", "--listen", ":80"], 64,
            "'--listen' takes no port; write '--listen 0.0.0.0 --port 80'"
        ),
        (
            ["info", "store"], 11,
            "cannot use 'store': 'store' is a folder, not a file; it is a cache, which '--cache' names"
        ),
        (["open", "store"], 64, "'store' is a cache; 'afcache serve --cache' shows what it holds"),
        (
            ["load", "none.zip", "--name", "p", "--cache", "store"], 10,
            "cannot load 'none.zip': the package has no resources, and would replace 'p', which has 2; if it is meant, use "
                + "'afcache cache remove p'"
        ),
    ])
    func `a mistake is named, with what to type`(arguments: [String], status: Int, sentence: String) throws {
        let scratch = try Self.made()
        let result = try Self.afcache(arguments, in: scratch)
        #expect(result.status == Int32(status))
        #expect(result.errors == "error: \(sentence)\n")
        #expect(try Self.afcache(["get", "http://d.example/", "--cache", "store"], in: scratch).text == "<p>guide</p>")
    }

    @Test(arguments: [
        ["ls", "p.zip", "--include", "x"], ["unpack", "p.zip", "-o", "out", "--type", "x/y"],
        ["diff", "p.zip", "p.zip", "--include", "x"],
    ])
    func `a selection that finds nothing says so`(arguments: [String]) throws {
        let result = try Self.afcache(arguments, in: try Self.made())
        #expect(result.status == 0)
        #expect(result.errors == "note: nothing matches the selection, of 2 resources, which 'ls' lists\n")
    }

    @Test func `a process that may open too few files says how many it needs`() throws {
        let scratch = try Self.made()
        let script = "ulimit -n 20; exec \"$P\" ls p.zip"
        let result = try Program.run("bash", ["-c", script], in: scratch.path, environment: ["P": Program.afcache])
        #expect(result.status == 11)
        #expect(
            result.errors
                == "error: this process may open only 20 files, and a command needs at least 48; allow more, for example "
                + "with 'ulimit -n 1024'\n"
        )
    }

    /// A server that resets each connection: SO_LINGER of no time, once something has been received.
    private static let resetting = """
        import socket, struct
        server = socket.create_server(("127.0.0.1", 0))
        print(server.getsockname()[1], flush=True)
        while True:
            peer = server.accept()[0]
            peer.recv(1)
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            peer.close()
        """

    @Test func `a port that may speak TLS is suspected, and each retry is announced`() async throws {
        let scratch = try Scratch()
        let server = try RunningProgram("python3", ["-c", Self.resetting])
        defer { _ = server.stop(SIGKILL) }
        let site = "http://127.0.0.1:\(try #require(try await server.firstLine()))"
        let packed = try Self.afcache(["pack", site + "/", "-o", "x.zip", "--retries", "0"], in: scratch)
        #expect(packed.status == 6)
        #expect(
            packed.errors.contains("note: if \(site) speaks TLS at this port, use 'https://'\n"),
            "\(packed.errors)"
        )
        let load = ["10", Program.afcache, "load", site + "/x.zip", "--allow-http", "--cache", "store"]
        let loaded = try Program.run("timeout", load, in: scratch.path)
        let reset = "the server reset the connection; if it speaks TLS at this port, use 'https://'"
        for seconds in [1, 2] {
            let note = "note: \(site)/x.zip: \(reset); trying again in \(seconds) s\n"
            #expect(loaded.errors.contains(note), "\(loaded.errors)")
        }
    }

    @Test func `a sync file may have a byte order mark`() throws {
        let scratch = try Self.made()
        try scratch.write([0xEF, 0xBB, 0xBF] + Array("version: 1\npackages: []\n".utf8), to: "s.yml")
        let result = try Self.afcache(["sync", "s.yml", "--cache", "store"], in: scratch)
        #expect(result.status == 0)
        #expect(result.errors == "note: neither the sync file nor its channel lists a package for this device\n")
    }
}
