import Testing

@testable import AFCSearch

/// How queries are read.
struct SearchQueryTests {
    @Test(
        arguments: [
            ("asyncio gather", #""asyncio" AND "gather""#),
            ("os.path.join", #""os" + "path" + "join""#),
            (#""list comprehensions" python"#, #""list" + "comprehensions" AND "python""#),
            ("python -snake", #"("python") NOT ("snake")"#),
            (#"a -"b c" -d"#, #"("a") NOT ("b" + "c" OR "d")"#),
            ("AND OR NOT", #""and" AND "or" AND "not""#),
            ("title:secret NEAR(a b, 2)", #""title" + "secret" AND "near" + "a" AND "b" AND "2""#),
            (#"" OR * ^ { } ( )"#, #""or""#),
            ("Ünïcode STRASSE straße", #""unicode" AND "strasse" AND "strasse""#),
            ("東京 タワー", #""東" + "京" AND "タ" + "ワ" + "ー""#),
            ("c++ C# don't it\u{2019}s", "\"c⁺⁺\" AND \"c♯\" AND \"dont\" AND \"its\""),
            ("-only -excluded", #""only" AND "excluded""#), ("-v", #""v""#), ("--no-unmanaged", #""no" + "unmanaged""#),
            ("align --no-deps -x", #"("align" AND "no" + "deps") NOT ("x")"#), ("", ""), ("   ", ""), ("\"\"\"", ""),
            ("- -- ---", ""),
        ]
    )
    func `a query becomes quoted words, whatever it contains`(_ text: String, _ expression: String) {
        let query = SearchQuery(text)
        #expect(query.isEmpty == expression.isEmpty)
        if !query.isEmpty { #expect(query.expression() == expression) }
    }

    @Test(
        arguments: [
            ("asyn", #""asyn" *"#), ("asyncio ga", #""asyncio" AND "ga" *"#), ("asyncio ", #""asyncio""#),
            ("os.pa", #""os" + "pa" *"#), ("\"os pa\"", #""os" + "pa""#), ("a -b", #"("a") NOT ("b")"#),
        ]
    )
    func `the last word may be unfinished while typing`(_ text: String, _ expression: String) {
        #expect(SearchQuery(text, isUnfinished: true).expression() == expression)
    }

    @Test(
        arguments: [
            ("os.path.join", #"("os" + "path" + "join" OR "os" AND "path" AND {title heading} : ("join"))"#),
            ("std::vector x", #"("std" + "vector" OR "std" AND {title heading} : ("vector")) AND "x""#),
            ("a.set_name", #"("a" + "set" + "name" OR "a" AND {title heading} : ("set" + "name"))"#),
            (#""os.path""#, #""os" + "path""#), ("utf-8", #""utf" + "8""#), ("東京", #""東" + "京""#), ("os.", #""os""#),
            ("x -os.path", #"("x") NOT ("os" + "path")"#),
        ]
    )
    func `the parts of a name may be apart`(_ text: String, _ expression: String) {
        #expect(SearchQuery(text).expression(isLoose: true) == expression)
    }

    @Test func `a long query is cut`() {
        let query = SearchQuery(String(repeating: "word ", count: 10_000))
        #expect(query.words.count == SearchQuery.wordLimit)
        let phrase = SearchQuery(String(repeating: "a.", count: 10_000))
        #expect(phrase.words.count == SearchQuery.wordLimit)
    }

    @Test(
        arguments: [
            ("Crème brûlée", "creme brulee"), ("cre\u{300}me", "creme"), ("ŁÓDŹ", "lodz"), ("Ångström", "angstrom"),
            ("Ελλάδα ΚΑΛΟΣ", "ελλαδα καλοσ"), ("ёлка", "елка"), ("ﬁn ＦＵＬＬ", "fin full"), ("İstanbul", "istanbul"),
            ("日本語テキスト", "日 本 語 テ キ ス ト"), ("한국", "한 국"), ("x86_64 utf-8", "x86 64 utf 8"),
            ("שָׁלוֹם", "שלום"), ("हिन्दी", "हिन्दी"), ("\u{AD}soft\u{AD}hyphen", "softhyphen"), ("emoji 🎉 here", "emoji here"),
        ]
    )
    func `letters are folded`(_ text: String, _ folded: String) {
        var bytes: [UInt8] = []
        _ = SearchWord.fold(text, into: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == folded)
    }

    @Test func `words have their places in the text`() {
        let text = "The Café’s “naïve” c++"
        let bytes = Array(text.utf8)
        let words = SearchWord.all(in: text).map { String(decoding: bytes[$0.range], as: UTF8.self) }
        #expect(words == ["The", "Café’s", "naïve", "c++"])
    }

    @Test func `bytes that aren't UTF-8 separate words`() {
        for first in UInt8(0x80)...0xFF {
            let bytes: [UInt8] = [0x61, first, 0x62, first]
            bytes.withUnsafeBufferPointer { buffer in
                SearchWord.forEach(in: buffer) { word in
                    #expect(word.range.upperBound <= 4)
                    return true
                }
            }
        }
    }

    /// Headings, one a line, and the terms that they define; words of a term are separated by spaces here.
    @Test(
        arguments: [
            ("Gather", ["gather"]), ("List Comprehensions\nList", ["list comprehensions", "list"]), ("", []),
            ("one two three four", ["one two three four"]), ("one two three four five", []), ("!\n…\n", []),
            ("A\na\nÁ", ["a"]), ("os.path.join(a)", ["os path join a"]),
            // A word that five headings share says nothing, so both are terms.
            (
                "A Directive\nB Directive\nC Directive\nD Directive\nE b Directive",
                [
                    "a directive", "a", "b directive", "b", "c directive", "c", "d directive", "d", "e b directive",
                    "e b",
                ]
            ),
            (
                "A Directive\nB Directive\nC Directive\nD Directive",
                ["a directive", "b directive", "c directive", "d directive"]
            ),
            (
                "class A\nclass B\nclass C\nclass D\nclass E",
                ["class a", "a", "class b", "b", "class c", "c", "class d", "d", "class e", "e"]
            ),
            ("x x\nx x\nx x\nx x\nx x", ["x x", "x"]),
        ]
    )
    func `short headings are terms`(_ headings: String, _ terms: [String]) {
        let tokens = DefinedTerms.tokens(in: headings)
        #expect(tokens.map { String($0.dropFirst()).replacing("\u{E001}", with: " ") } == terms)
        #expect(tokens.allSatisfy { $0.hasPrefix("\u{E000}") })
        // Nobody can write such a word.
        for token in tokens {
            #expect(SearchWord.all(in: token, limit: 9).allSatisfy { !$0.text.contains("\u{E000}") })
        }
    }

    @Test(
        arguments: [
            ("gather", "gather"), ("list comprehensions", "list comprehensions"), ("os.path.join", "os path join"),
            ("a b c d e", nil), ("", nil), ("東京", "東 京"),
        ] as [(String, String?)]
    )
    func `a short query is a term`(_ text: String, _ term: String?) {
        #expect(SearchQuery(text).term.map { String($0.dropFirst()).replacing("\u{E001}", with: " ") } == term)
    }
}
