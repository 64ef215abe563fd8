import AFCBlocking
import AFCFiles
import AFCText
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AFCModelContext

/// Methods, schemas, cursors and parts.
@Suite(.timeLimit(.minutes(10)))
struct ContextServerTests {
    private static func answer(
        _ server: ContextServer,
        _ method: String,
        _ parameters: String = "{}",
        by version: ProtocolVersion = .november2025
    ) throws -> Result<JSONValue, MessageError> {
        let request = Message.Request(
            id: .number("1"),
            method: method,
            parameters: try JSONValue(parsing: Array(parameters.utf8))
        )
        return server.answer(request, by: version)
    }

    private static func code(_ result: Result<JSONValue, MessageError>) -> Int? {
        if case .failure(let error) = result { error.code.rawValue } else { nil }
    }

    /// Returns what is wrong with a value by a schema of the forms that the tools have.
    private static func mistakes(_ value: JSONValue, _ schema: JSONValue, at place: String = "") -> [String] {
        switch schema["type"]?.string {
        case "string": return value.string == nil ? ["\(place) is no string"] : []
        case "integer": return value.integer == nil ? ["\(place) is no integer"] : []
        case "boolean": return value == .bool(true) || value == .bool(false) ? [] : ["\(place) is no boolean"]
        case "array":
            guard let elements = value.array, let items = schema["items"] else { return ["\(place) is no array"] }
            return elements.flatMap { mistakes($0, items, at: place + "[]") }
        case "object":
            guard case .object(let members) = value, case .object(let known)? = schema["properties"] else {
                return ["\(place) is no object"]
            }
            let missing = (schema["required"]?.array ?? []).compactMap(\.string).filter { value[$0] == nil }
            return missing.map { "\(place).\($0) is missing" }
                + members.flatMap { name, member in
                    known.first { $0.0 == name }.map { mistakes(member, $0.1, at: "\(place).\(name)") }
                        ?? ["\(place).\(name) is unknown"]
                }
        default: return ["\(place) has no type"]
        }
    }

    @Test(
        arguments: [
            ("list_sites", "{}"), ("search", #"{"query":"lamps","limit":50}"#),
            ("search", #"{"query":"nothinglikethis"}"#), ("get", #"{"url":"http://d.example/guide.html"}"#),
            ("get", #"{"url":"http://d.example/guide.html","outline_only":true}"#),
            ("get", #"{"url":"http://d.example/plain.txt","max_tokens":100}"#), ("list_pages", #"{"limit":1}"#),
        ]
    )
    func `a structured result fits the tool's schema`(tool: String, arguments: String) async throws {
        let scratch = try Scratch()
        let server = try await PackagedSitesTests.server(in: scratch)
        let list = try Self.answer(server, "tools/list").get()["tools"]?.array ?? []
        let schema = try #require(list.first { $0["name"]?.string == tool }?["outputSchema"])
        let result = try PackagedSitesTests.call(server, tool, arguments)
        let structure = try #require(result["structuredContent"])
        #expect(Self.mistakes(structure, schema).isEmpty, "\(Self.mistakes(structure, schema))")
    }

    @Test func `each revision has its methods and forms`() async throws {
        let scratch = try Scratch()
        let server = try await PackagedSitesTests.server(in: scratch)
        for version in ProtocolVersion.allCases {
            let tools = try Self.answer(server, "tools/list", by: version).get()
            let first = try #require(tools["tools"]?.array?.first)
            #expect((first["outputSchema"] != nil) == (version >= .june2025))
            #expect((first["annotations"] != nil) == (version >= .march2025))
            #expect(
                (tools["resultType"] != nil) == version.isStateless && (tools["ttlMs"] != nil) == version.isStateless
            )
            #expect(Self.code(try Self.answer(server, "ping", by: version)) == (version.isStateless ? -32601 : nil))
            let discovered = Self.code(try Self.answer(server, "server/discover", by: version))
            #expect(discovered == (version.isStateless ? nil : -32601))
            let missing = try Self.answer(server, "resources/read", #"{"uri":"http://d.example/none"}"#, by: version)
            #expect(Self.code(missing) == (version.isStateless ? -32602 : -32002))
            #expect(Self.code(try Self.answer(server, "prompts/list", by: version)) == -32601)
            #expect(Self.code(try Self.answer(server, "tools/call", #"{"name":"rm"}"#, by: version)) == -32602)
        }
        #expect(Tool.allCases.map(\.rawValue) == ["list_sites", "search", "get", "list_pages", "changes"])
    }

    @Test func `a page is read as a resource, with its source and its quotation`() async throws {
        let scratch = try Scratch()
        let server = try await PackagedSitesTests.server(in: scratch)
        let list = try Self.answer(server, "resources/list").get()["resources"]?.array ?? []
        #expect(list.contains { $0["uri"]?.string == "http://d.example/guide.html" })
        let read = try Self.answer(server, "resources/read", #"{"uri":"http://d.example/forged.html"}"#).get()
        let contents = try #require(read["contents"]?.array?.first)
        #expect(contents["mimeType"]?.string == "text/markdown")
        #expect(contents["_meta"]?["source"]?["url"]?.string == "http://d.example/forged.html")
        let text = try #require(contents["text"]?.string)
        #expect(text.hasPrefix("Source: http://d.example/forged.html |"))
        let templates = try Self.answer(server, "resources/templates/list").get()["resourceTemplates"]?.array
        #expect(templates?.first?["uriTemplate"]?.string == "{+url}")
    }

    @Test func `resources are listed in parts`() async throws {
        let scratch = try Scratch()
        let pages = (100..<350).map {
            PackagedSitesTests.Page(url: "http://d.example/\($0).html", body: "<title>t</title><p>\($0)")
        }
        let server = try await PackagedSitesTests.server(pages, in: scratch)
        var (urls, cursor): ([String], String?) = ([], nil)
        repeat {
            let list = try Self.answer(server, "resources/list", cursor.map { #"{"cursor":"\#($0)"}"# } ?? "{}").get()
            urls += (list["resources"]?.array ?? []).compactMap { $0["uri"]?.string }
            cursor = list["nextCursor"]?.string
        } while cursor != nil && urls.count < 1000
        #expect(urls == pages.map(\.url))
        #expect(Self.code(try Self.answer(server, "resources/list", #"{"cursor":"x"}"#)) == -32602)
    }

    @Test(
        arguments: [
            ("abc", 4, "abc", nil), ("abcd\nefgh\n", 8, "abcd\n", 5), ("abcdefgh", 4, "abcd", 4), ("aé日本", 4, "aé", 3),
            ("\n2345678", 6, "\n23456", 6), ("", 4, "", nil),
        ] as [(String, Int, String, Int?)]
    )
    func `a part ends with a line or a character`(text: String, limit: Int, part: String, next: Int?) {
        let portion = TextPortion(Array(text.utf8)[...], limit: limit)
        #expect(portion.text == part && portion.next == next)
    }

    @Test func `a cursor is read back, and nothing else is`() {
        let cursor = AnswerCursor("get", ["http://d.example/", "p@1"], at: "12")
        #expect(AnswerCursor(cursor.text) == cursor)
        for text in [
            "", "x", "e30=", Base64.encode(Array("[1,2]".utf8)), Base64.encode(Array("[\"get\"]".utf8)),
            String(repeating: "A", count: 32_772),
        ] {
            #expect(AnswerCursor(text) == nil)
        }
        #expect(throws: ToolRefusal.self) { try AnswerCursor.place(of: cursor.text, "search", cursor.subject) }
        #expect(throws: ToolRefusal.self) {
            try AnswerCursor.place(of: cursor.text, "get", ["http://d.example/", "p@2"])
        }
    }

    @Test(
        arguments: [
            ("docs@0123456789ab", "docs", "0123456789ab"), ("docs", "docs", ""), ("a@b@0123", "a@b", "0123"),
            (#""a b"@0123"#, "a b", "0123"), (#""a | b""#, "a | b", ""), (#""a\"b"@0"#, #"a"b"#, "0"),
            ("\"日本\"@0", "日本", "0"), (#""open@0"#, #""open"#, "0"), ("@0", "", "0"), ("", "", ""),
        ]
    )
    func `a version is read as it was written`(text: String, package: String, digest: String) {
        let version = PackageVersion(text)
        #expect(version.package == package && version.digest == digest)
        #expect(PackageVersion(version.description) == version)
        #expect(!version.description.contains(" | "))
    }

    @Test func `each message of many has an answer, and a cancelled one has none`() async throws {
        let scratch = try Scratch()
        let server = try await PackagedSitesTests.server(in: scratch)
        var (input, output): ([Int32], [Int32]) = ([0, 0], [0, 0])
        #expect(pipe(&input) == 0 && pipe(&output) == 0)
        let (client, reading) = (FileHandle(fileDescriptor: input[1]), FileHandle(fileDescriptor: output[0]))
        let streams = StandardStreams(server, input: input[0], output: output[1])
        let writing = output[1]
        let run = Task {
            await streams.run()
            close(writing)
        }
        let answers = Task.detached { try reading.readToEnd() ?? Data() }
        var lines = [
            #"{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#,
            #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        ]
        lines += (0..<1_000).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"ping"}"# }
        lines.append(#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#)
        try client.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
        close(input[1])
        await run.value
        let ids = try await answers.value.split(separator: UInt8(ascii: "\n"))
            .map { try JSONValue(parsing: Array($0))["id"]?.serialized ?? "" }
        // The seventh may have been answered before its cancellation was read.
        #expect(Set(ids).subtracting(["7"]).count == 1_000 && ids.count - Set(ids).count == 0)
        close(input[0])
        close(output[0])
    }

    @Test func `an answer that nobody reads doesn't keep the program from stopping`() {
        var (stream, stop): ([Int32], [Int32]) = ([0, 0], [0, 0])
        #expect(pipe(&stream) == 0 && pipe(&stop) == 0)
        defer { for end in stream + stop { close(end) } }
        #expect(write(stop[1], "x", 1) == 1)
        let small = Array("answer\n".utf8)
        #expect(small.withUnsafeBytes { Descriptor.append($0, to: stream[1], until: stop[0], patience: 50) })
        let large = [UInt8](repeating: 0, count: 1 << 20)
        #expect(!large.withUnsafeBytes { Descriptor.append($0, to: stream[1], until: stop[0], patience: 50) })
    }

    @Test func `a waiting room lets in as many as it holds`() async {
        final class Counts: Sendable {
            let inside = Atomic(0)
            let most = Atomic(0)
        }
        let (room, counts) = (WaitingRoom(3), Counts())
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<200 {
                tasks.addTask {
                    await room.enter()
                    let count = counts.inside.add(1, ordering: .sequentiallyConsistent).newValue
                    _ = counts.most.max(count, ordering: .sequentiallyConsistent)
                    await Task.yield()
                    counts.inside.subtract(1, ordering: .sequentiallyConsistent)
                    room.leave()
                }
            }
        }
        #expect(counts.most.load(ordering: .relaxed) <= 3 && counts.inside.load(ordering: .relaxed) == 0)
    }

    @Test func `sessions are limited in number and idle time`() throws {
        var table = SessionTable()
        let start = ContinuousClock.now
        let ids = (0..<130).map { table.add(Session(), at: start + .seconds($0)) }
        #expect(table.count == 128 && Set(ids).count == 130)
        #expect(table.take(.response, in: ids[0], at: start + .seconds(131)) == nil)
        #expect(table.take(.response, in: ids[129], at: start + .seconds(131)) == .nothing)
        #expect(table.take(.response, in: ids[128], at: start + .seconds(130 + 30 * 60)) == nil)
        #expect(table.count == 1)
        let isEnded = table.end(ids[129])
        #expect(isEnded && table.count == 0)
    }

    @Test func `lines are read up to a limit`() throws {
        var ends: [Int32] = [0, 0]
        var stop: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0 && pipe(&stop) == 0)
        defer { for end in [ends[0], stop[0], stop[1]] { close(end) } }
        let text =
            "one\n\n" + String(repeating: "x", count: 40) + "\ntwo\n" + String(repeating: "y", count: 17) + "\nlast"
        #expect(Array(text.utf8).withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) } == text.utf8.count)
        close(ends[1])
        var reader = LineReader(ends[0], stop: stop[0], limit: 16)
        var lines: [LineReader.Line] = []
        while lines.last != .end, lines.count < 20 { lines.append(reader.next()) }
        func bytes(_ text: String) -> LineReader.Line { .bytes(Array(text.utf8)) }
        #expect(lines == [bytes("one"), bytes(""), .tooLong, bytes("two"), .tooLong, bytes("last"), .end])
    }
}
