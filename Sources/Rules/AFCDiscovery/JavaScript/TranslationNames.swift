/// The languages and namespaces that a script configures i18next with, for addresses such as
/// `/locales/{{lng}}/{{ns}}.json`.
///
/// They are texts in the members of its options: `supportedLngs`, `fallbackLng`, `ns` and the like. A browser asks for
/// `de` as well as `de-CH`. What the reader's browser asks for beside them isn't known.
struct TranslationNames {
    private static let language = "{{lng}}"
    private static let namespace = "{{ns}}"
    /// The largest number of languages, and of namespaces.
    private static let limit = 64
    /// The largest number of addresses that one text stands for.
    private static let addressLimit = 128
    private static let languageKeys: WordSet = ["supportedLngs", "whitelist", "preload", "fallbackLng", "lng"]
    private static let namespaceKeys: WordSet = ["ns", "defaultNS", "fallbackNS"]

    private var languages: [String] = []
    private var namespaces: [String] = []

    /// Returns true for a text that is one address for each language.
    static func isIn(_ text: String) -> Bool { text.utf8.contains(UInt8(ascii: "{")) && text.contains(language) }

    /// Reads the names from the rest of a tokenizer's text.
    init(_ start: JavaScriptTokenizer) {
        var tokenizer = start
        var key: Range<Int>?
        var values: (isLanguage: Bool, depth: Int)?
        while let token = tokenizer.next(all: true) {
            switch token {
            case .name: key = tokenizer.range
            case .punctuator(UInt8(ascii: ":")):
                guard values == nil, let name = key else { continue }
                if Self.languageKeys.contains(tokenizer.bytes, name) { values = (true, tokenizer.depth) }
                if Self.namespaceKeys.contains(tokenizer.bytes, name) { values = (false, tokenizer.depth) }
            case .punctuator(let byte):
                key = nil
                guard let open = values else { continue }
                let isEnd = byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") || byte == UInt8(ascii: ")")
                if tokenizer.depth < open.depth || isEnd && tokenizer.depth == open.depth { values = nil }
            case .string:
                key = tokenizer.range
                guard let open = values, let text = JavaScriptText.string(tokenizer.bytes, tokenizer.range) else {
                    continue
                }
                if open.isLanguage { add(language: text) } else { add(namespace: text) }
            case .other: key = nil
            }
        }
        if languages.isEmpty { languages = ["en"] }
        // The library's own default.
        if namespaces.isEmpty { namespaces = ["translation"] }
    }

    private mutating func add(language: String) {
        let parts = language.split(separator: "-", omittingEmptySubsequences: false)
        guard let first = parts.first, (2...3).contains(first.utf8.count), parts.count <= 3,
            parts.allSatisfy({ (2...8).contains($0.utf8.count) && $0.utf8.allSatisfy { $0.isLetter || $0.isDigit } }),
            first.utf8.allSatisfy(\.isLetter), language != "dev"
        else { return }
        for name in [language, String(first)] where languages.count < Self.limit && !languages.contains(name) {
            languages.append(name)
        }
    }

    private mutating func add(namespace: String) {
        guard (1...64).contains(namespace.utf8.count), namespaces.count < Self.limit, !namespaces.contains(namespace)
        else { return }
        namespaces.append(namespace)
    }

    /// Returns the addresses that a text stands for.
    func addresses(_ text: String) -> [String] {
        let names = text.contains(Self.namespace) ? namespaces : [""]
        var addresses: [String] = []
        for language in languages {
            for name in names where addresses.count < Self.addressLimit {
                let address = text.split(separator: Self.language, omittingEmptySubsequences: false)
                    .joined(separator: language).split(separator: Self.namespace, omittingEmptySubsequences: false)
                    .joined(separator: name)
                // Another library's placeholder.
                if !address.contains("{{") { addresses.append(address) }
            }
        }
        return addresses
    }
}
