/// What a style sheet refers to.
///
/// Found are `url()` with and without quotes, `src()`, strings in `image-set()`, and `@import`. Not references are
/// strings elsewhere (`format()`, `type()`, selectors), addresses in the prelude of any other at-rule (`@namespace`,
/// `@supports`), an `@import` after other rules, which counts for nothing (CSS Cascade §2.1), and fragments alone.
struct CSSReferences {
    /// What the bytes are.
    enum Form {
        case styleSheet
        /// The value of a style or presentation attribute.
        case declarations
    }

    /// How a reference is written.
    enum Notation: String {
        case url = "url()"
        case importRule = "@import"
        case imageSet = "image-set()"

        /// In a style sheet queries are in its encoding, except of what it imports; so do Chromium and WebKit.
        var resolution: Reference.Resolution { self == .importRule ? .utf8Address : .address }
    }

    struct Found {
        var address: String
        var notation: Notation
        var loads: Destination
        var start: Int
    }

    /// Calls back for each reference until told to stop.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - range: The part of it that is CSS.
    ///   - form: What that part is.
    ///   - found: Gets the reference; returns whether to go on.
    static func forEach(
        in bytes: ScanBuffer,
        _ range: Range<Int>,
        _ form: Form = .styleSheet,
        _ found: (Found) -> Bool
    ) {
        var walk = Walk(tokenizer: CSSTokenizer(bytes, range), importsAreValid: form == .styleSheet)
        while let reference = walk.next() {
            let address = CSSText.string(bytes, reference.range)
            guard !address.isEmpty, address.utf8.first != UInt8(ascii: "#") else { continue }
            let loads: Destination = reference.notation == .importRule ? .style : walk.isInFont ? .font : .image
            let notation = reference.notation
            guard found(Found(address: address, notation: notation, loads: loads, start: reference.start)) else {
                return
            }
        }
    }
}

/// The walk through a style sheet's tokens.
private struct Walk {
    struct Found {
        var range: Range<Int>
        var notation: CSSReferences.Notation
        var start: Int
    }

    /// What an open parenthesis belongs to.
    private enum Parenthesis { case url, imageSet, other }

    var tokenizer: CSSTokenizer
    /// Whether an `@import` still counts.
    var importsAreValid: Bool
    private var braces = 0
    private var parentheses: [Parenthesis] = []
    /// How many further parentheses are open that are too deep to tell apart.
    private var deeper = 0
    /// Whether the walk is between an at-keyword and the `{` or `;` that ends its prelude.
    private var isInPrelude = false
    /// Whether the prelude is that of `@font-face`.
    private var isFontPrelude = false
    /// Whether the prelude is that of an at-rule that no browser knows.
    private var isUnknownRule = false
    /// Whether the walk is in the block of an `@font-face`, where an address is a font's.
    private(set) var isInFont = false

    init(tokenizer: CSSTokenizer, importsAreValid: Bool) {
        self.tokenizer = tokenizer
        self.importsAreValid = importsAreValid
    }

    mutating func next() -> Found? {
        while let token = tokenizer.next() {
            switch token {
            case .url:
                if !isInPrelude { return found(.url) }
            case .string:
                if let found = string() { return found }
            case .function:
                let kind = kindOfFunction()
                if kind == .url {
                    open(.other)
                    if let range = quotedAddress(), !isInPrelude {
                        return Found(range: range, notation: .url, start: tokenizer.tokenStart)
                    }
                } else {
                    open(kind)
                }
            case .openParenthesis:
                open(.other)
            case .closeParenthesis:
                if deeper > 0 { deeper -= 1 } else { _ = parentheses.popLast() }
            case .atKeyword:
                if let found = atRule() { return found }
            case .openBrace, .closeBrace, .semicolon:
                endOfPart(token)
            case .openBracket, .closeBracket, .other:
                break
            }
        }
        return nil
    }

    /// The at-rules with blocks, after which no import counts.
    private static let rules: [StaticString] = [
        "media", "supports", "layer", "font-face", "keyframes", "-webkit-keyframes", "page", "property", "container",
        "counter-style", "font-feature-values", "font-palette-values", "scope", "starting-style", "position-try",
        "view-transition", "color-profile", "document", "-moz-document", "function",
    ]

    /// The functions with addresses.
    private static let functions: [(name: StaticString, kind: Parenthesis)] = [
        ("url", .url), ("src", .url), ("image-set", .imageSet), ("-webkit-image-set", .imageSet),
    ]

    private func found(_ notation: CSSReferences.Notation) -> Found {
        Found(range: tokenizer.range, notation: notation, start: tokenizer.tokenStart)
    }

    private mutating func open(_ kind: Parenthesis) {
        if parentheses.count < 64 { parentheses.append(kind) } else { deeper += 1 }
    }

    private func kindOfFunction() -> Parenthesis {
        Self.functions.first { CSSText.isName(tokenizer.bytes, tokenizer.range, $0.name) }?.kind ?? .other
    }

    /// A string is a reference directly in `image-set()`.
    private func string() -> Found? {
        !isInPrelude && deeper == 0 && parentheses.last == .imageSet ? found(.imageSet) : nil
    }

    /// The string that stands first in a function, behind whose parenthesis the tokenizer is; else nothing is consumed.
    private mutating func quotedAddress() -> Range<Int>? {
        let saved = tokenizer
        if tokenizer.next(all: true) == .string { return tokenizer.range }
        tokenizer = saved
        return nil
    }

    private mutating func endOfPart(_ token: CSSTokenizer.Token) {
        // A brace or semicolon within parentheses belongs to a broken declaration; nothing sensible is lost here.
        parentheses.removeAll(keepingCapacity: true)
        deeper = 0
        isInPrelude = false
        let isUnknownRule = self.isUnknownRule
        self.isUnknownRule = false
        isInFont = token == .openBrace ? isFontPrelude : isInFont && token == .semicolon
        isFontPrelude = false
        if token == .openBrace {
            // What isn't valid doesn't count as a rule before an import.
            if braces == 0, !isUnknownRule { importsAreValid = false }
            braces += 1
        } else if token == .closeBrace {
            braces = max(0, braces - 1)
        }
    }

    private mutating func atRule() -> Found? {
        let name = tokenizer.range
        isInPrelude = true
        isFontPrelude = CSSText.isName(tokenizer.bytes, name, "font-face")
        isUnknownRule =
            importsAreValid && braces == 0 && !Self.rules.contains { CSSText.isName(tokenizer.bytes, name, $0) }
        if CSSText.isName(tokenizer.bytes, name, "import") {
            guard importsAreValid, braces == 0 else { return nil }
            return importedAddress()
        }
        if CSSText.isName(tokenizer.bytes, name, "namespace") { importsAreValid = false }
        return nil
    }

    /// The address of an `@import`, which is its first part: a string, or `url()` with or without quotes.
    private mutating func importedAddress() -> Found? {
        let start = tokenizer.tokenStart
        let saved = tokenizer
        var range: Range<Int>?
        switch tokenizer.next(all: true) {
        case .string, .url:
            range = tokenizer.range
        case .function where kindOfFunction() == .url:
            open(.other)
            range = quotedAddress()
        default:
            tokenizer = saved
        }
        return range.map { Found(range: $0, notation: .importRule, start: start) }
    }
}
