import Testing

@testable import AFCDiscovery

struct HTMLTokenizerTests {
    typealias Token = TokenizerSuite.Token

    @Test(arguments: TokenizerSuite.files)
    func `the html5lib suite passes`(file: String, count: Int) throws {
        let cases = try TokenizerSuite.cases(in: file)
        #expect(cases.count == count)
        for test in cases {
            let tokens = try tokens(of: test.input, state: test.state, lastStartTag: test.lastStartTag)
            #expect(bytes(tokens) == bytes(test.expected), "\(test.name), input \(test.input.debugDescription)")
        }
    }

    @Test func `carriage returns are read as line feeds`() throws {
        let tokens = try tokens(of: "a\r\nb\rc<p\rtitle='x\r\ny&#13;'>")
        let expected: [Token] = [
            .characters("a\nb\nc"), .startTag("p", ["title": "x\ny\r"], isSelfClosing: false),
        ]
        #expect(bytes(tokens) == bytes(expected))
    }

    @Test func `in foreign content a CDATA section is text`() throws {
        let tokens = try tokens(of: "<![CDATA[]]><![CDATA[a<b&amp;]]]]>c<i>", allowsCDATA: true)
        #expect(tokens == [.characters("a<b&amp;]]c"), .startTag("i", [:], isSelfClosing: false)])
    }

    @Test(arguments: ["<![CDATA[]]>", "</>", "<!-->", "<a b=c ", "<!", "</", "&#", "<script><!--<script>"])
    func `a part that is repeated very often needs no stack`(part: String) throws {
        _ = try tokens(of: String(repeating: part, count: 50_000), allowsCDATA: true)
    }

    @Test func `a tag with very many attributes keeps the first ones`() throws {
        let tag = "<a " + (0..<10_000).map { "a\($0)=1" }.joined(separator: " ") + " href=x>"
        guard case .startTag(_, let attributes, _) = try tokens(of: tag).first else {
            Issue.record("no tag")
            return
        }
        #expect(attributes.count == 4096)
    }

    /// The tokens' parts as bytes, since Swift's strings compare by canonical equivalence.
    private func bytes(_ tokens: [Token]) -> [[UInt8]] {
        tokens.map { token in
            switch token {
            case .startTag(let name, let attributes, let isSelfClosing):
                let list = attributes.map { Array("\($0.key)=\($0.value)".utf8) }
                let sorted = list.sorted { $0.lexicographicallyPrecedes($1) }.joined(separator: [0xFF])
                return Array("<\(name) \(isSelfClosing)>".utf8) + sorted
            case .characters(let text): return [0xFE] + Array(text.utf8)
            case .comment(let text): return [0xFD] + Array(text.utf8)
            default: return Array("\(token)".utf8)
            }
        }
    }

    private func tokens(
        of input: String,
        state: String = "Data state",
        lastStartTag: String? = nil,
        allowsCDATA: Bool = false
    ) throws -> [Token] {
        let models: [String: HTMLTokenizer.ContentModel] = [
            "Data state": .data, "PLAINTEXT state": .plaintext, "RCDATA state": .rcdata, "RAWTEXT state": .rawText,
            "Script data state": .scriptData, "CDATA section state": .cdata,
        ]
        let model = try #require(models[state])
        return Array(input.utf8).withUnsafeBufferPointer { buffer in
            var tokenizer = HTMLTokenizer(ScanBuffer(buffer))
            tokenizer.contentModel = model
            tokenizer.allowsCDATA = allowsCDATA
            tokenizer.lastStartTag = lastStartTag.flatMap { PackedName($0) } ?? .empty
            var tokens: [Token] = []
            while let kind = tokenizer.next() { tokens.append(token(kind, tokenizer)) }
            return TokenizerSuite.coalesced(tokens)
        }
    }

    private func token(_ kind: HTMLTokenizer.Token, _ tokenizer: HTMLTokenizer) -> Token {
        let bytes = tokenizer.bytes
        switch kind {
        case .startTag:
            let pairs = tokenizer.attributes.map {
                (HTMLText.name(bytes, $0.nameRange), HTMLText.attribute(bytes, $0.valueRange))
            }
            let name = HTMLText.name(bytes, tokenizer.range)
            let attributes = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
            return .startTag(name, attributes, isSelfClosing: tokenizer.isSelfClosing)
        case .endTag: return .endTag(HTMLText.name(bytes, tokenizer.range))
        case .text: return .characters(HTMLText.string(bytes, tokenizer.range, tokenizer.textModel))
        case .comment: return .comment(HTMLText.string(bytes, tokenizer.range, .rawText))
        case .doctype:
            let isClosed = tokenizer.position > tokenizer.range.upperBound
            let doctype = HTMLDoctype(bytes, tokenizer.range, isClosed: isClosed)
            return .doctype(
                .init(
                    name: doctype.name,
                    publicIdentifier: doctype.publicIdentifier,
                    systemIdentifier: doctype.systemIdentifier,
                    isCorrect: !doctype.forcesQuirks
                )
            )
        }
    }
}
