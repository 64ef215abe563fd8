import AFCCaching
import HTTPTypes
import Testing

/// RFC 9111 §4.1: which stored response a request selects.
struct VaryTests {
    private static func isSelected(_ vary: [String], _ first: [String], _ second: [String], _ more: [String] = [])
        -> Bool
    {
        isReused(["Cache-Control: max-age=5000", "Date: @0"] + vary + more, first: first, second: second)
    }

    @Test(
        arguments: [
            (["Foo: 1"], ["Foo: 1"], true), (["Foo: 1"], ["Foo: 2"], false), ([], ["Foo: 1"], false),
            (["Foo: 1"], [], false), ([], [], true), (["Foo: "], [], false),
            (["Foo: 1", "Other: 2"], ["Foo: 1", "Other: 3"], true), (["Foo: 1, 2"], ["Foo: 1", "Foo: 2"], true),
            (["Foo: 1,2"], ["Foo: 1, 2"], true), (["Foo: 1,2"], ["Foo: 2,1"], false), (["Foo: a"], ["Foo: A"], false),
            (["Foo: \"1, 2\""], ["Foo: \"1,2\""], false), (["Foo: é"], ["Foo: é"], true),
            // Bytes that aren't UTF-8 were replaced, so they may have differed.
            (["Foo: J\u{FFFD}"], ["Foo: J\u{FFFD}"], false), (["Foo: 1, \u{FFFD}"], ["Foo: 1,\u{FFFD}"], false),
        ]
    )
    func `a response is used only if the fields that Vary names are equal`(
        first: [String],
        second: [String],
        isMatch: Bool
    ) {
        #expect(Self.isSelected(["Vary: Foo"], first, second) == isMatch)
    }

    @Test(
        arguments: [
            (["X-Forwarded-Host: a.example"], [], false), ([], ["X-Forwarded-Host: a.example"], false),
            (["X-Forwarded-Host: a.example"], ["x-forwarded-host: a.example"], true),
            (["X-Forwarded-Proto: http"], ["X-Forwarded-Proto: https"], false),
            (["X-Original-URL: /a"], [], false), (["X-HTTP-Method-Override: POST"], [], false),
            (["X-Forwarded-For: 192.0.2.1"], ["X-Forwarded-For: 192.0.2.2"], true),
            (["Forwarded: for=192.0.2.1"], ["Forwarded: for=192.0.2.2;by=a"], true),
            (["Forwarded: for=192.0.2.1;host=a.example"], ["Forwarded: for=192.0.2.2"], false),
            (["Forwarded: for=192.0.2.1;host=a.example"], ["Forwarded: For=192.0.2.2; host=a.example"], true),
            (["RSC: 1"], [], false), (["Next-Router-State-Tree: a"], [], false), (["HX-Request: true"], [], false),
            (["Turbo-Frame: a"], ["Turbo-Frame: b"], false), (["X-Middleware-Prefetch: 1"], [], false),
            (["RSC: \u{FFFD}"], ["RSC: \u{FFFD}"], false),
            (["X-Foo: 1"], ["X-Foo: 2"], true), (["Referer: a"], ["Referer: b"], true),
        ]
    )
    func `a field that changes the origin's response counts as if Vary named it`(
        first: [String],
        second: [String],
        isMatch: Bool
    ) {
        #expect(Self.isSelected([], first, second) == isMatch)
    }

    @Test func `every leading field is found, in any case, and no other`() throws {
        for name in LeadingFields.names {
            #expect(LeadingFields.contains(try #require(HTTPField.Name(name))), "\(name)")
            #expect(LeadingFields.contains(try #require(HTTPField.Name(name.uppercased()))), "\(name)")
            #expect(!LeadingFields.contains(try #require(HTTPField.Name(name + "y"))), "\(name)")
            #expect(LeadingFields.contains(lowercased: name.replacing("-", with: "_")), "\(name)")
            #expect(!Self.isSelected([], ["\(name): 1"], []), "\(name)")
        }
        let long = String(repeating: "x", count: 64)
        #expect(!LeadingFields.contains(try #require(HTTPField.Name(long))))
    }

    @Test(
        arguments: [
            ["Vary: Foo, Bar"], ["vary: FOO,bar"], ["Vary:  Foo ,, Bar ,"], ["Vary: Foo", "Vary: Bar"],
            ["Vary: Foo\t,\tBar"],
        ]
    )
    func `Vary is a list of names, whatever its lines, spacing and case`(vary: [String]) {
        let first = ["Foo: 1", "Bar: abc"]
        #expect(Self.isSelected(vary, first, first))
        #expect(Self.isSelected(vary, first, ["bar: abc", "foo: 1"]))
        #expect(!Self.isSelected(vary, first, ["Foo: 1", "Bar: abcde"]))
        #expect(!Self.isSelected(vary, first, ["Foo: 2", "Bar: abc"]))
        #expect(!Self.isSelected(vary, first, []))
    }

    @Test(
        arguments: [
            ("en, de", "de, en", true), ("en, de", "eN, De", true), ("en, de", " en ,   de", true),
            ("en, de;q=0.5", "de;q=0.5, en;q=1.0", true), ("en, de", "en, fr", false), ("en;q=0.5", "en;q=0.6", false),
        ]
    )
    func `Accept-Language has no order and no case, RFC 9110 §12_5_4`(first: String, second: String, isMatch: Bool) {
        #expect(
            Self.isSelected(["Vary: Accept-Language"], ["Accept-Language: \(first)"], ["Accept-Language: \(second)"])
                == isMatch
        )
    }

    @Test(
        arguments: [
            ("de", "fr;q=0.5, de;q=1.0", true), ("de", "de, fr;q=0.9", true), ("DE", "fr;q=0.5, de", true),
            ("de", "fr, de", false), ("de", "fr, de;q=0.9", false), ("de", "de-AT", false), ("de, en", "de", false),
            ("de", "de;q=x", false), ("de", "de;q=0", false), ("de", "*", false),
        ]
    )
    func `a response in the client's preferred language matches`(
        language: String,
        wanted: String,
        isMatch: Bool
    ) {
        #expect(
            Self.isSelected(
                ["Vary: Accept-Language"],
                ["Accept-Language: en, de"],
                ["Accept-Language: \(wanted)"],
                ["Content-Language: \(language)"]
            ) == isMatch
        )
    }

    @Test(
        arguments: [
            ("Accept-Encoding", "gzip, br", "br,gzip", true), ("Accept-Encoding", "gzip", "gzip, br", false),
            ("Accept", "text/html, */*", "text/html,*/*", true), ("Accept", "text/html, */*", "*/*, text/html", false),
            ("Cookie", "a=1,b", "a=1, b", false), ("User-Agent", "x, y", "x,y", false), ("Cookie", "a=1", "a=1", true),
        ]
    )
    func `request fields are equal only as their definition allows`(
        name: String,
        first: String,
        second: String,
        isMatch: Bool
    ) {
        #expect(Self.isSelected(["Vary: \(name)"], ["\(name): \(first)"], ["\(name): \(second)"]) == isMatch)
    }

    @Test func `several variants are stored side by side, and a new one replaces its own kind`() {
        var cache = SimulatedCache()
        let response = ["Cache-Control: max-age=5000", "Date: @0", "Vary: Foo"]
        cache.send(.get, ["Foo: 1"], response, size: 1)
        #expect(!cache.send(.get, ["Foo: 2"], response, size: 2).isFromStore)
        #expect(cache.send(.get, ["Foo: 1"], response).fields[.contentLength] == "1")
        #expect(cache.send(.get, ["Foo: 2"], response).fields[.contentLength] == "2")
        cache.send(.get, ["Foo: 1", "Cache-Control: no-cache"], response, size: 3)
        #expect(cache.stored.map(\.size) == [2, 3])
    }

    @Test func `the most recent of several matching responses is used, §4`() {
        var cache = SimulatedCache()
        for (date, size) in [(-20, 1), (-5, 2), (-10, 3)] as [(Int64, Int64)] {
            cache.stored.append(
                StoredResponse(
                    status: 200,
                    fields: fields(["Date: @\(date)", "Cache-Control: max-age=60"]),
                    size: size,
                    received: cache.time,
                    requestFields: HTTPFields(),
                    source: .received
                )
            )
        }
        #expect(cache.send([]).fields[.contentLength] == "2")
    }

    @Test func `a packaged response without its request's fields is validated before use`() {
        var cache = SimulatedCache()
        let lines = ["Date: @0", "Expires: @3600", "Vary: Cookie", "ETag: \"p\""]
        cache.stored = [StoredResponse(status: 200, fields: fields(lines), size: 7, received: cache.time)]
        let seen = cache.send(.get, [], status: 304, ["ETag: \"p\""])
        #expect(seen.forwarding?.fields[.ifNoneMatch] == "\"p\"")
        #expect(seen.forwarding?.reason == .varyMiss)
        #expect(seen.status == 200)
        #expect(seen.fields[.contentLength] == "7")
    }

    @Test func `a package's bodies are acceptable for every Accept-Encoding`() {
        var cache = SimulatedCache()
        let lines = ["Date: @0", "Expires: @3600", "Vary: Accept-Encoding", "Content-Encoding: gzip"]
        cache.stored = [StoredResponse(status: 200, fields: fields(lines), size: 7, received: cache.time)]
        let seen = cache.send(.get, ["Accept-Encoding: br"], nil)
        #expect(seen.isFromStore)
        #expect(seen.fields[.contentEncoding] == nil)
    }
}
