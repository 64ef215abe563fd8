import AFCHTTP
import AFCURL
import HTTPTypes
import Testing

@testable import AFCServer

/// docs/reference/serve.md, "Media types".
struct ShownTypeTests {
    @Test(arguments: [
        (nil, "/guide.html", "text/html"), ("application/octet-stream", "/guide.html", "text/html"),
        ("Application/Octet-Stream; x=1", "/a.css", "text/css"), (nil, "/a.PNG?b", "image/png"),
        // The bytes decide.
        (nil, "/", "bytes"), ("application/octet-stream", "/guide/", "bytes"),
        ("application/octet-stream", "/a", "bytes"),
        // Stated types are obeyed, also if the name says something else.
        ("text/plain", "/guide.html", "stated"), ("text/plain", "/", "stated"),
        ("application/octet-stream", "/a.bin", "stated"), ("application/octet-stream", "/a.unknown", "stated"),
        ("application/x-thing", "/", "stated"),
    ])
    func `a response without a useful type gets the one of its name or its bytes`(
        _ stated: String?,
        _ path: String,
        _ expected: String
    ) throws {
        var fields = HTTPFields()
        fields[.contentType] = stated
        let found =
            switch ShownType(fields, try WebURL("http://d.example" + path)) {
            case .stated: "stated"
            case .named(let type): type.essence
            case .unstated: "bytes"
            }
        #expect(found == expected)
    }

    @Test func `bytes don't decide if the response forbids it`() throws {
        let fields: HTTPFields = [.contentType: "application/octet-stream", .xContentTypeOptions: "nosniff"]
        guard case .stated = ShownType(fields, try WebURL("http://d.example/guide/")) else {
            Issue.record("the bytes would decide")
            return
        }
    }

    @Test(arguments: [
        (" \n<!DOCTYPE html><p>", "text/html"), ("<html>", "text/html"), ("<HTML lang=en>", "text/html"),
        ("<p>a", "text/html"), ("<!-- a", "text/html"), ("<?xml version=\"1.0\"?>", "text/xml"),
        ("<htmlx>", "text/plain"), ("<p", "text/plain"), ("plain", "text/plain"), ("", "text/plain"),
        ("%PDF-1.7", "application/pdf"), ("GIF89a", "image/gif"), ("RIFF0000WEBPVP8 ", "image/webp"),
        ("RIFF0000WAVE", "audio/wave"), ("BM", "image/bmp"), ("a\u{1}", "application/octet-stream"),
        ("a\u{1B}[0m", "text/plain"), ("PK\u{3}\u{4}", "application/zip"),
        ("\u{0}\u{0}\u{0}\u{10}ftypmp42\u{0}\u{0}\u{0}\u{0}", "video/mp4"),
        ("\u{0}\u{0}\u{0}\u{14}ftypisom\u{0}\u{0}\u{0}\u{0}mp41", "video/mp4"),
        ("\u{0}\u{0}\u{0}\u{10}ftypavif\u{0}\u{0}\u{0}\u{0}", "application/octet-stream"),
        ("\u{FEFF}text", "text/plain"),
    ])
    func `bytes have a type`(_ text: String, _ expected: String) {
        #expect(MediaType(ofUnstated: Array(text.utf8)).essence == expected)
    }

    @Test(
        arguments: [
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"), ([0xFF, 0xD8, 0xFF, 0xE0], "image/jpeg"),
            ([0x1F, 0x8B, 0x08, 0], "application/x-gzip"), ([0xFE, 0xFF, 0, 0x61], "text/plain"),
            ([0x1A, 0x45, 0xDF, 0xA3, 0x42, 0x82, 0x84, 0x77, 0x65, 0x62, 0x6D], "video/webm"),
        ] as [([UInt8], String)]
    )
    func `bytes that are no text have a type`(_ bytes: [UInt8], _ expected: String) {
        #expect(MediaType(ofUnstated: bytes).essence == expected)
    }
}
