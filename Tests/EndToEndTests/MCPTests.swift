import AFCText
import Foundation
import TestSupport
import Testing

/// `afcache mcp` and `afcache serve --mcp`, in raw messages.
@Suite(.timeLimit(.minutes(10)))
struct MCPTests {
    /// A scratch folder with a package, and a cache with the package and its search index.
    private static func made() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write(
            Array("<title>Handbook</title><main><h1>Handbook</h1><p>Trim the wick.</p></main>".utf8),
            to: "site/index.html"
        )
        let calls = [
            ["pack", "--folder", "site", "--base-url", "http://d.example", "-o", "p.zip"],
            ["load", "p.zip", "--cache", "store"], ["cache", "search-index", "--cache", "store"],
        ]
        for call in calls { #expect(try Program.run(Program.afcache, call, in: scratch.path).status == 0) }
        return scratch
    }

    private static let initialize =
        #"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#
    private static let initialized = #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#

    private static func request(_ id: Int, _ method: String, _ parameters: String = "{}") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(parameters)}"#
    }

    private static func call(_ id: Int, _ tool: String, _ arguments: String = "{}") -> String {
        request(id, "tools/call", #"{"name":"\#(tool)","arguments":\#(arguments)}"#)
    }

    /// Runs the command with messages as its input, and returns its answers by their ids.
    private static func run(
        _ messages: [String],
        _ arguments: String,
        in scratch: Scratch
    ) throws -> (answers: [String: JSONValue], result: ProgramResult) {
        try scratch.write(Array((messages.joined(separator: "\n") + "\n").utf8), to: "in.jsonl")
        let result = try Program.run(
            "sh",
            ["-c", "'\(Program.afcache)' mcp \(arguments) < in.jsonl"],
            in: scratch.path
        )
        var answers: [String: JSONValue] = [:]
        for line in result.text.split(separator: "\n") {
            let answer = try JSONValue(parsing: Array(line.utf8))
            answers[(answer["id"] ?? .null).serialized] = answer
        }
        return (answers, result)
    }

    @Test func `a client is answered over standard input and output until its end`() throws {
        let scratch = try Self.made()
        let messages = [
            Self.initialize, Self.initialized, "", Self.request(1, "tools/list"), Self.call(2, "list_sites"),
            Self.call(3, "search", #"{"query":"wick"}"#), Self.call(4, "get", #"{"url":"http://d.example/"}"#),
            Self.call(5, "list_pages"), Self.call(6, "changes"), Self.request(7, "nothing"), "{",
            Self.request(8, "resources/read", #"{"uri":"http://d.example/"}"#), Self.request(9, "ping"),
            #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#,
        ]
        for arguments in ["--cache store", "p.zip"] {
            let (answers, result) = try Self.run(messages, arguments, in: scratch)
            #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
            #expect(answers.count == 11)
            #expect(answers["\"i\""]?["result"]?["protocolVersion"] == .string("2025-06-18"))
            #expect(answers["1"]?["result"]?["tools"]?.array?.count == 5)
            #expect(answers["4"]?["result"]?["structuredContent"]?["text"]?.string?.contains("Trim the wick.") ?? false)
            #expect(answers["6"]?["result"]?["isError"] == .bool(true))
            #expect(answers["7"]?["error"]?["code"] == .number("-32601"))
            #expect(answers["null"]?["error"]?["code"] == .number("-32700"))
            #expect(answers["9"]?["result"] == .object([]))
            guard arguments != "p.zip" else { continue }
            let found = answers["3"]?["result"]?["structuredContent"]?["results"]?.array
            #expect(found?.first?["source"]?["url"] == .string("http://d.example/"))
        }
    }

    @Test func `a message that is too long is refused, and the next one is answered`() throws {
        let scratch = try Self.made()
        let long =
            #"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":""# + String(repeating: "x", count: 5 << 20)
            + "\"}}"
        let (answers, result) = try Self.run([Self.initialize, long, Self.request(2, "ping")], "p.zip", in: scratch)
        #expect(result.status == 0 && answers.count == 3)
        #expect(answers["null"]?["error"]?["message"]?.string?.contains("4194304 bytes") ?? false)
        #expect(answers["2"]?["result"] != nil)
    }

    @Test func `batches have the one revision that allows them`() throws {
        let scratch = try Self.made()
        let batch = "[\(Self.request(1, "ping")),\(Self.initialized),\(Self.request(2, "ping"))]"
        let march = Self.initialize.replacing("2025-06-18", with: "2025-03-26")
        try scratch.write(Array((march + "\n" + batch + "\n").utf8), to: "in.jsonl")
        let result = try Program.run("sh", ["-c", "'\(Program.afcache)' mcp p.zip < in.jsonl"], in: scratch.path)
        let lines = try result.text.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
        #expect(lines.contains { $0.array?.count == 2 })
        let (answers, _) = try Self.run([Self.initialize, batch], "p.zip", in: scratch)
        #expect(answers["null"]?["error"]?["code"] == .number("-32600"))
    }

    @Test(
        arguments: [
            ("missing.zip", "missing.zip"), ("--cache nowhere", "there is no cache here"),
            ("p.zip --cache store", "can't be combined with packages"),
        ]
    )
    func `what can't be read is refused before the first message`(arguments: String, words: String) throws {
        let scratch = try Self.made()
        let (answers, result) = try Self.run([Self.initialize], arguments, in: scratch)
        #expect(result.status != 0 && answers.isEmpty && result.errors.contains(words), "\(result.errors)")
    }

    @Test func `a signal, or a client that reads no more, ends the command`() throws {
        let scratch = try Self.made()
        let program = "'\(Program.afcache)' mcp p.zip"
        let signal = "sleep 30 | \(program) & sleep 2; kill -TERM $!; wait $!; echo $?"
        #expect(try Program.run("sh", ["-c", signal], in: scratch.path).text.hasSuffix("0\n"))
        try scratch.write(Array((Self.initialize + "\n").utf8), to: "in.jsonl")
        let closed = "{ cat in.jsonl; sleep 6; } | { \(program); echo $? >&2; } | true"
        let result = try Program.run("timeout", ["20", "sh", "-c", closed + "; sleep 3"], in: scratch.path)
        #expect(result.errors == "0\n", "\(result.errors)")
    }

    // MARK: HTTP

    private static func served(
        _ scratch: Scratch,
        _ options: [String] = [],
        _ body: (String) throws -> Void
    ) async throws {
        let arguments = ["serve", "--port", "0", "--mcp", "--cache", scratch.path("store")] + options
        let server = try RunningProgram(Program.afcache, arguments)
        defer { _ = server.stop() }
        try server.wait(until: "the addresses are printed") { server.text.contains("/.afcache/mcp\n") }
        let line = server.text.split(separator: "\n").first { $0.hasPrefix("agents open ") }
        try body(String(try #require(line).dropFirst("agents open ".count)))
    }

    /// Sends a message, and returns the status, the head and the body.
    private static func post(
        _ message: String,
        to url: String,
        _ options: [String] = []
    ) throws -> (status: String, head: String, body: JSONValue) {
        let fields = ["-H", "Content-Type: application/json", "-H", "Accept: application/json, text/event-stream"]
        let result = try Program.run("curl", ["-sS", "-i", "--data-binary", message] + fields + options + [url])
        let parts = result.text.components(separatedBy: "\r\n\r\n")
        let body = (try? JSONValue(parsing: Array((parts.dropFirst().last ?? "").utf8))) ?? .null
        return (String(parts[0].split(separator: " ")[1]), parts[0].lowercased(), body)
    }

    @Test func `a session over HTTP begins, answers and ends`() async throws {
        let scratch = try Self.made()
        try await Self.served(scratch) { url in
            let begun = try Self.post(Self.initialize, to: url)
            #expect(begun.status == "200" && begun.body["result"]?["protocolVersion"] == .string("2025-06-18"))
            let line = begun.head.split(separator: "\r\n").first { $0.hasPrefix("mcp-session-id: ") }
            let session = ["-H", String(try #require(line))]
            #expect(try Self.post(Self.initialized, to: url, session).status == "202")
            let found = try Self.post(Self.call(1, "search", #"{"query":"wick"}"#), to: url, session)
            #expect(found.head.contains("content-type: application/json"))
            #expect(found.body["result"]?["structuredContent"]?["results"]?.array?.count == 1)
            #expect(try Self.post(Self.request(2, "ping"), to: url).status == "400")
            #expect(try Self.post(Self.request(2, "ping"), to: url, ["-H", "Mcp-Session-Id: x"]).status == "404")
            #expect(try Self.post("{", to: url, session).body["error"]?["code"] == .number("-32700"))
            #expect(
                try Self.post(Self.request(3, "ping"), to: url, session + ["-H", "MCP-Protocol-Version: 1999-01-01"])
                    .status == "400"
            )
            let get = try Program.run("curl", ["-s", "-o", "/dev/null", "-w", "%{http_code}", url])
            #expect(get.text == "405")
            let end = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "-X", "DELETE"] + session + [url]
            #expect(try Program.run("curl", end).text == "204")
            #expect(try Self.post(Self.request(4, "ping"), to: url, session).status == "404")
        }
    }

    @Test func `a request of revision 2026-07-28 needs no session, and fields that agree with it`() async throws {
        let scratch = try Self.made()
        let meta =
            #"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}"#
        try await Self.served(scratch) { url in
            let version = ["-H", "MCP-Protocol-Version: 2026-07-28"]
            let list = Self.request(1, "tools/list", meta)
            let found = try Self.post(list, to: url, version + ["-H", "Mcp-Method: tools/list"])
            #expect(found.status == "200" && found.body["result"]?["resultType"] == .string("complete"))
            #expect(!found.head.contains("mcp-session-id"))
            let other = try Self.post(list, to: url, version + ["-H", "Mcp-Method: tools/call"])
            #expect(other.status == "400" && other.body["error"]?["code"] == .number("-32020"))
            let without = try Self.post(list, to: url)
            #expect(without.status == "400" && without.body["error"]?["code"] == .number("-32020"))
            let ping = try Self.post(Self.request(2, "ping", meta), to: url, version + ["-H", "Mcp-Method: ping"])
            #expect(ping.status == "404" && ping.body["error"]?["code"] == .number("-32601"))
            let discover = Self.request(3, "server/discover", meta)
            let discovered = try Self.post(discover, to: url, version + ["-H", "Mcp-Method: server/discover"])
            #expect(discovered.body["result"]?["supportedVersions"]?.array?.first == .string("2026-07-28"))
        }
    }

    @Test(
        arguments: [
            (["-H", "Origin: http://evil.example"], "403"), (["-H", "Origin: null"], "403"),
            (["-H", "Sec-Fetch-Site: cross-site"], "403"), (["-H", "Content-Type: text/plain"], "415"),
            (["-H", "Host: evil.example"], "404"), (["-H", "Accept: text/html"], "406"),
        ]
    )
    func `other websites are refused`(options: [String], status: String) async throws {
        let scratch = try Self.made()
        try await Self.served(scratch) { url in
            // A repeated field would be a list: the later one replaces those of a client.
            var fields = ["-H", "Content-Type: application/json", "-H", "Accept: application/json"]
            let name = options[1].prefix { $0 != ":" }
            if let place = fields.firstIndex(where: { $0.hasPrefix(name + ":") }) {
                fields.removeSubrange(place - 1...place)
            }
            let call = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "--data-binary", Self.initialize]
            let found = try Program.run("curl", call + fields + options + [url]).text
            #expect(found == status || status == "404" && ["404", "405"].contains(found), "\(found)")
        }
    }

    @Test func `a message over HTTP has a limit`() async throws {
        let scratch = try Self.made()
        try scratch.write([UInt8](repeating: 0x20, count: 5 << 20), to: "large")
        try await Self.served(scratch) { url in
            let found = try Self.post("@" + scratch.path("large"), to: url, ["-H", "Expect:"])
            #expect(found.status == "413")
        }
    }

    @Test(
        arguments: [
            (["--mcp", "--listen", "0.0.0.0"], "'--mcp-remote'"), (["--mcp", "--no-search"], "needs the search"),
            (["--mcp-remote"], "needs '--mcp'"), (["--mcp", "--origin", "http://127.0.0.1:1"], "start two servers"),
            (["--mcp", "--site", "http://d.example/"], "'--own-pages'"),
        ]
    )
    func `a server that others reach, or that has no own pages, isn't for agents`(options: [String], words: String)
        throws
    {
        let scratch = try Self.made()
        let arguments = ["serve", "--port", "0", "--cache", scratch.path("store")] + options
        let result = try Program.run("timeout", ["20", Program.afcache] + arguments)
        #expect(result.status != 0 && result.errors.contains(words), "\(result.errors)")
    }
}
