import AFCCaching
import AFCHTTP
import AFCText
import Foundation
import HTTPTypes
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import AFCServer

@Suite(.timeLimit(.minutes(10)))
struct AccessLogTests {
    static func record(_ target: String = "/x", _ change: (inout ServerRequest) -> Void = { _ in }) -> AccessRecord {
        var request = ServerRequest(method: "GET", target: target, hosts: ["h"], server: ServerIdentity(port: 80))
        request.remoteAddress = "192.0.2.7"
        change(&request)
        var answer = ServerAnswer.text("x", status: .notFound)
        answer.fields[.cacheStatus] = "afcache; hit; ttl=1"
        var record = AccessRecord(request, answer: answer, time: FakeCache.received)
        record.bytes = 12
        record.microseconds = 345
        record.isComplete = true
        return record
    }

    @Test func `the combined format is that of httpd`() {
        let record = Self.record {
            $0.fields[.referer] = "http://docs.example/"
            $0.fields[.userAgent] = "agent/1"
        }
        #expect(
            record.line(.combined)
                == "192.0.2.7 - - [21/Nov/2026:10:00:00 +0000] \"GET /x HTTP/1.1\" 404 12 "
                + "\"http://docs.example/\" \"agent/1\""
        )
        var bare = Self.record()
        bare.remoteAddress = nil
        bare.bytes = 0
        #expect(bare.line(.combined) == "- - - [21/Nov/2026:10:00:00 +0000] \"GET /x HTTP/1.1\" 404 - \"-\" \"-\"")
    }

    @Test func `nothing that a client sends can end a line or a quotation`() throws {
        let hostile = "/\"\\ \n\u{1B}[31m\u{E9}\u{1F600}\u{7F}"
        let record = Self.record(hostile)
        #expect(
            record.line(.combined).contains(
                "\"GET /\\\"\\\\ \\x0a\\x1b[31m\\xc3\\xa9\\xf0\\x9f\\x98\\x80\\x7f HTTP/1.1\" 404"
            )
        )
        let json = record.line(.json)
        #expect(json.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(object["target"] as? String == hostile)
        #expect(object["status"] as? Int == 404)
        #expect(object["bytes"] as? Int == 12)
        #expect(object["microseconds"] as? Int == 345)
        #expect(object["time"] as? String == "2026-11-21T10:00:00Z")
        #expect(object["remote"] as? String == "192.0.2.7")
        #expect(object["complete"] as? Bool == true)
    }

    @Test func `lines go to the file, also after it was renamed`() throws {
        let scratch = try Scratch()
        let log = try AccessLog(path: scratch.path("access.log"), format: .combined)
        log.write(Self.record("/1"))
        log.write(Self.record("/2"))
        log.flush()
        try FileManager.default.moveItem(atPath: scratch.path("access.log"), toPath: scratch.path("access.log.1"))
        log.write(Self.record("/3"))
        log.flush()
        let old = String(decoding: try scratch.read("access.log.1"), as: UTF8.self)
        #expect(old.split(separator: "\n").count == 2)
        let new = String(decoding: try scratch.read("access.log"), as: UTF8.self)
        #expect(new.contains("\"GET /3 HTTP/1.1\""))
        #expect(!new.contains("GET /1 "))
    }

    #if os(Linux)
    @Test func `lost lines are told once`() throws {
        let reasons = Box<String>()
        let log = try AccessLog(path: "/dev/full", format: .combined) { reasons.append($0) }
        for path in ["/1", "/2"] {
            log.write(Self.record(path))
            log.flush()
        }
        #expect(reasons.values == ["No space left on device"])
    }
    #endif

    @Test func `the lines of a log that nobody holds any more are written`() async throws {
        let scratch = try Scratch()
        try AccessLog(path: scratch.path("access.log"), format: .combined).write(Self.record("/1"))
        try await waitUntil("the line is written") {
            try String(decoding: scratch.read("access.log"), as: UTF8.self).hasSuffix("\n")
        }
    }

    @Test func `a link isn't used as a log, neither at first nor when the log is reopened`() throws {
        let scratch = try Scratch()
        try scratch.write(Array("precious\n".utf8), to: "file")
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path("link"),
            withDestinationPath: scratch.path("file")
        )
        let error = #expect(throws: ServerError.self) {
            try AccessLog(path: scratch.path("link"), format: .combined)
        }
        #expect(error?.code == .cannotLog)
        #expect(error?.message.contains("symbolic link") == true)
        let log = try AccessLog(path: scratch.path("log"), format: .combined)
        try FileManager.default.moveItem(atPath: scratch.path("log"), toPath: scratch.path("old"))
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path("log"),
            withDestinationPath: scratch.path("file")
        )
        log.write(Self.record())
        log.flush()
        #expect(try scratch.read("file") == Array("precious\n".utf8))
        #expect(try !scratch.read("old").isEmpty, "lines aren't lost meanwhile")
    }

    @Test func `a log that can't be opened is an error that says so`() throws {
        let error = #expect(throws: ServerError.self) { try AccessLog(path: "/nowhere/access.log", format: .json) }
        #expect(error?.description == "cannot write the log '/nowhere/access.log': No such file or directory")
    }

    @Test func `a request that isn't HTTP is logged`() async throws {
        let records = Box<AccessRecord>()
        try await withServer(
            responder: ScriptedResponder(),
            configure: {
                $0.now = { FakeCache.received }
                $0.onAnswer = { records.append($0) }
            }
        ) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send("nonsense\r\n\r\n")
                let reply = try client.reply()
                #expect(reply.status == 400 && reply.text == "the request is malformed\n")
                #expect(try client.receiveToEnd().isEmpty)
            }
            try await RawClient.run(port: port) { client throws in
                try client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n")
                let reply = try client.reply()
                #expect(reply.status == 501)
                #expect(reply.text == "this server doesn't know the request's transfer coding\n")
                #expect(try client.receiveToEnd().isEmpty)
            }
        }
        #expect(
            records.values.map { $0.line(.combined) }
                == ["400 25", "501 55"].map {
                    "127.0.0.1 - - [21/Nov/2026:10:00:00 +0000] \"- - HTTP/1.1\" \($0) \"-\" \"-\""
                }
        )
    }

    @Test func `answers from memory are logged like others`() async throws {
        let origin = RepeatedAnswerTests.Origin()
        let records = Box<AccessRecord>()
        try await withServer(
            responder: origin,
            configure: {
                $0.now = { origin.state.withLock { $0.now } }
                $0.onAnswer = { records.append($0) }
            }
        ) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                for second in 0..<3 {
                    origin.turn { $0.now = FakeCache.received + Int64(second) }
                    try client.send("GET /x HTTP/1.1\r\nHost: h\r\nUser-Agent: a\r\nReferer: b\r\n\r\n")
                    _ = try client.reply()
                }
            }
        }
        #expect(origin.asked.count == 1)
        #expect(
            records.values.map { $0.line(.combined) }
                == (0..<3).map {
                    "127.0.0.1 - - [21/Nov/2026:10:00:0\($0) +0000] \"GET /x HTTP/1.1\" 200 11 \"b\" \"a\""
                }
        )
    }
}
