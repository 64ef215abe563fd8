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
            ("-only -excluded", ""), ("", ""), ("   ", ""), ("\"\"\"", ""), ("- -- ---", ""),
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
}
