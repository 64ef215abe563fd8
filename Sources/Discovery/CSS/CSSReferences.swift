/// What a style sheet refers to, by the tokens of CSS Syntax Level 3.
enum CSSReferences {
    static func references(in bytes: [UInt8]) -> [RawReference] {
        var tokenizer = CSSTokenizer(bytes)
        var references: [RawReference] = []
        var atKeyword: String?
        var functions: [String] = []
        func add(_ text: String) {
            guard !text.isEmpty, atKeyword != "namespace", references.count <= ReferenceExtractor.countLimit else { return }
            references.append(RawReference(text, .requisite))
        }
        while let token = tokenizer.next() {
            switch token {
            case .atKeyword(let name): atKeyword = name
            case .url(let text): add(text)
            case .string(let text):
                let function = functions.last
                let isImport = atKeyword == "import" && functions.isEmpty
                if isImport || function == "url" || function == "image-set" || function == "-webkit-image-set" || function == "src" {
                    add(text)
                }
                // Only the first string of an import is its URL.
                if isImport { atKeyword = nil }
            case .function(let name): functions.append(name)
            case .open: functions.append("")
            case .close: _ = functions.popLast()
            case .semicolon, .block:
                atKeyword = nil
                functions.removeAll(keepingCapacity: true)
            }
        }
        return references
    }
}
