/// The references of a style sheet.
///
/// References are `url()` with and without quotes, `src()`, strings in `image-set()`, and `@import`. Strings elsewhere
/// (`format()`, `type()`, selectors) are not references. Neither are addresses in the prelude of any other at-rule
/// (`@namespace`, `@supports`), an `@import` after other rules, which has no effect (CSS Cascade §2.1), and mere
/// fragments.
struct CSSReferences {
    /// The kind of CSS text.
    enum Form {
        case styleSheet
        /// The value of a style or presentation attribute.
        case declarations
    }

    /// The notation of a reference.
    enum Notation: String {
        case url = "url()"
        case importRule = "@import"
        case imageSet = "image-set()"

        /// In a style sheet, queries use its encoding, except for imports, as in Chromium and WebKit.
        var resolution: Reference.Resolution { self == .importRule ? .utf8Address : .address }
    }

    struct Found {
        var address: String
        var notation: Notation
        var loads: Destination
        var start: Int
        /// The place of the address, without quotes.
        var range: Range<Int>
    }

    /// Calls a closure for each reference until it returns false.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - range: The part of the text that is CSS.
    ///   - form: The kind of that part.
    ///   - found: Takes the reference; returns true to continue.
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
            let (start, range) = (reference.start, reference.range)
            guard found(Found(address: address, notation: notation, loads: loads, start: start, range: range)) else {
                return
            }
        }
    }
}

/// A walk through a style sheet's tokens.
private struct Walk {
    struct Found {
        var range: Range<Int>
        var notation: CSSReferences.Notation
        var start: Int
    }

    /// The owner of an open parenthesis.
    private enum Parenthesis { case url, imageSet, other }

    var tokenizer: CSSTokenizer
    /// True if an `@import` is still valid here.
    var importsAreValid: Bool
    private var braces = 0
    private var parentheses: [Parenthesis] = []
    /// The number of open parentheses that are nested too deeply to be distinguished.
    private var deeper = 0
    /// True between an at-keyword and the `{` or `;` that ends its prelude.
    private var isInPrelude = false
    /// True in the prelude of `@font-face`.
    private var isFontPrelude = false
    /// True in the prelude of an at-rule that no browser knows.
    private var isUnknownRule = false
    /// True in the block of an `@font-face`, where addresses refer to fonts.
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

    /// The at-rules with blocks, after which imports are invalid.
    private static let rules: [StaticString] = [
        "media", "supports", "layer", "font-face", "keyframes", "-webkit-keyframes", "page", "property", "container",
        "counter-style", "font-feature-values", "font-palette-values", "scope", "starting-style", "position-try",
        "view-transition", "color-profile", "document", "-moz-document", "function",
    ]

    /// The functions that contain addresses.
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

    /// Returns the current string if it is directly in `image-set()`, where it is a reference.
    private func string() -> Found? {
        !isInPrelude && deeper == 0 && parentheses.last == .imageSet ? found(.imageSet) : nil
    }

    /// Consumes the string that is a function's first argument, and nothing else.
    ///
    /// The tokenizer must be after the parenthesis.
    private mutating func quotedAddress() -> Range<Int>? {
        let saved = tokenizer
        if tokenizer.next(all: true) == .string { return tokenizer.range }
        tokenizer = saved
        return nil
    }

    private mutating func endOfPart(_ token: CSSTokenizer.Token) {
        // A brace or semicolon within parentheses belongs to a broken declaration, which contains nothing useful.
        parentheses.removeAll(keepingCapacity: true)
        deeper = 0
        isInPrelude = false
        let isUnknownRule = self.isUnknownRule
        self.isUnknownRule = false
        isInFont = token == .openBrace ? isFontPrelude : isInFont && token == .semicolon
        isFontPrelude = false
        if token == .openBrace {
            // An invalid rule doesn't invalidate later imports.
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

    /// Returns the address of an `@import`, which is its first part: a string, or `url()` with or without quotes.
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
