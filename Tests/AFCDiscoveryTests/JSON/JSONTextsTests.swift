import AFCURL
import Testing

@testable import AFCDiscovery

/// The files that JSON names.
struct JSONTextsTests {
    /// The texts of a body: `!` loaded or `?` named; `@` for the file's own folder; the tail.
    private func texts(_ body: String, _ type: String = "application/json", at path: String = "d.json") throws -> String
    {
        let found = ReferenceExtractor.references(
            in: Array(body.utf8),
            mediaType: type,
            charset: nil,
            url: try WebURL("http://d.example/a/" + path),
            destination: .other
        )
        return found.scriptTexts.texts.map { text in
            (text.strength == .loaded ? "!" : "?") + (text.head == .script ? "@" : "") + text.tail
        }.joined(separator: " ")
    }

    @Test(arguments: [
        (#"[{"image":"p/a.jpg","thumb":"a.webp"}]"#, "!p/a.jpg !@a.webp"),
        (#"{"photos":["p/a.jpg","b.jpg"],"x":{"photos":[["c.jpg"]]}}"#, "!p/a.jpg !@b.jpg !@c.jpg"),
        (#"{"x":"p/a.jpg","y":"a.jpg","z":["s/a.mp3","b.mp3"]}"#, "?p/a.jpg ?s/a.mp3"),
        // PHP escapes slashes.
        (#"{"src":"p\/a.jpg"}"#, "!p/a.jpg"),
        (#"{"data":{"url":"cars.csv"},"u":"d/x.json","v":"x.json"}"#, "!@cars.csv ?d/x.json"),
        (##"{"a":{"$ref":"common.json#/x"},"b":{"$ref":"#/a"}}"##, "!@common.json"),
        (#"{"root":{"content":{"uri":"t/0.b3dm"},"children":[{"content":{"uri":"1.glb"}}]}}"#, "!@t/0.b3dm !@1.glb"),
        // Programs, pages, and what readers save.
        (#"{"src":"a.js","url":"a.html","href":"b/","path":"a.css","file":"a.pdf","data":"a.xml"}"#, ""),
        (
            #"{"text":"see p/a.jpg","image":"p/a b.jpg","src":"{x}.png","file":"1.png","url":"https://x.example/a.png"}"#,
            "!p/a%20b.jpg !@1.png !https://x.example/a.png"
        ),
        // Beside an address, a file's name is a title.
        (
            #"{"a":{"file":{"filename":"A.png","url":"files/1/a.png"}},"b":{"filename":"b.png"}}"#,
            "!files/1/a.png !@b.png"
        ),
        (#"{"name":"a.json","path":"a.json"}"#, "!@a.json"),
        (#"["p/a.jpg"]"#, "?p/a.jpg"), (#""p/a.jpg""#, "?p/a.jpg"),
        (#"{"image":"p/a.jpg""#, ""), (#"{'image':'p/a.jpg'}"#, ""), ("", ""), ("x({})", ""),
        (#"{"image":"a.jpg","b":{"image":"a.jpg"},"x":"p/b.png","src":"p/b.png"}"#, "!@a.jpg !p/b.png"),
    ])
    func `the texts of JSON`(body: String, expected: String) throws {
        #expect(try texts(body) == expected)
    }

    @Test func `the media type or the name tells JSON`() throws {
        let body = #"{"image":"p/a.jpg"}"#
        #expect(try texts(body, "application/problem+json; charset=utf-8", at: "x") == "!p/a.jpg")
        #expect(try texts(body, "text/plain", at: "x.json") == "!p/a.jpg")
        #expect(try texts(body, "application/octet-stream", at: "x.gltf") == "!p/a.jpg")
        for (type, path) in [
            ("text/plain", "x"), ("application/geo+json", "x"), ("application/json", "app.js.map"),
            ("image/png", "x.json"), ("text/csv", "x"),
        ] {
            #expect(try texts(body, type, at: path) == "", "\(type) \(path)")
        }
    }

    @Test func `deep and long JSON is read in bounds`() throws {
        let list = (0..<2_000).map { #"{"image":"p/a\#($0).jpg"}"# }.joined(separator: ",")
        #expect(try texts("[\(list)]").split(separator: " ").count == ScriptTextReader.limit)
        let deep = String(repeating: "[", count: 100) + #""p/a.jpg""# + String(repeating: "]", count: 100)
        #expect(try texts(deep) == "?p/a.jpg")
        #expect(try texts(String(repeating: "[", count: 100_000)) == "")
    }
}
