/// A walk through a script's tokens.
struct JavaScriptWalk {
    typealias Found = JavaScriptReferences.Found
    typealias Token = JavaScriptTokenizer.Token

    private let goal: JavaScriptReferences.Goal
    private(set) var tokenizer: JavaScriptTokenizer
    /// True if the tokenizer's current token, which is `import`, `export` or `new`, hasn't been examined yet.
    private var isPending = false

    init(_ goal: JavaScriptReferences.Goal, _ tokenizer: JavaScriptTokenizer) {
        self.goal = goal
        self.tokenizer = tokenizer
    }

    mutating func next() -> Found? {
        while isPending || tokenizer.next(all: false) != nil {
            isPending = false
            guard !tokenizer.isMember else { continue }
            let depth = tokenizer.depth
            let isStatement = goal == .module && depth == 0
            if tokenizer.isName("import") {
                if let found = importing(isStatement: isStatement) { return found }
            } else if isStatement, tokenizer.isName("export") {
                if let found = exporting() { return found }
            } else if goal == .module, tokenizer.isName("new") {
                if let found = constructing() { return found }
            }
        }
        return nil
    }

    /// Returns the next token of any kind; a token that doesn't fit must be passed to `giveUp`.
    mutating func token() -> Token? { tokenizer.next(all: true) }

    mutating func giveUp(_ token: Token?) -> Found? {
        isPending = token == .name
        return nil
    }

    func isPunctuator(_ token: Token?, _ character: Unicode.Scalar) -> Bool {
        token == .punctuator(UInt8(ascii: character))
    }

    // MARK: import and export

    private mutating func importing(isStatement: Bool) -> Found? {
        let first = token()
        switch first {
        case .punctuator(UInt8(ascii: "(")): return importCall()
        case .punctuator(UInt8(ascii: ".")): return importPhase()
        case .string where isStatement: return declaration(.importDeclaration)
        case .name where isStatement: return clause(.importDeclaration, isOpen: tokenizer.isName("from"))
        case .punctuator(UInt8(ascii: "{")) where isStatement, .punctuator(UInt8(ascii: "*")) where isStatement:
            return clause(.importDeclaration, isOpen: false)
        default: return giveUp(first)
        }
    }

    private mutating func exporting() -> Found? {
        let first = token()
        switch first {
        case .punctuator(UInt8(ascii: "{")), .punctuator(UInt8(ascii: "*")):
            return clause(.exportDeclaration, isOpen: false)
        default: return giveUp(first)
        }
    }

    /// Reads the names up to `from` and the string after it.
    ///
    /// - Parameters:
    ///   - notation: The notation of the reference.
    ///   - isOpen: Whether the previous token was `from`, which may also be a name.
    /// - Returns: The reference, or nil if this is not such a clause.
    private mutating func clause(_ notation: JavaScriptReferences.Notation, isOpen: Bool) -> Found? {
        var isAfterFrom = isOpen
        while let next = token() {
            switch next {
            case .string:
                if isAfterFrom, tokenizer.depth == 0 { return declaration(notation) }
                // `import {"a b" as c}`
                guard tokenizer.depth == 1 else { return nil }
            case .name:
                if tokenizer.depth == 0, isKeyword { return giveUp(next) }
                isAfterFrom = tokenizer.isName("from")
            case .punctuator(UInt8(ascii: "{")), .punctuator(UInt8(ascii: "}")), .punctuator(UInt8(ascii: ",")),
                .punctuator(UInt8(ascii: "*")):
                isAfterFrom = false
            default: return nil
            }
        }
        return nil
    }

    /// Reads the current string as a specifier, with the attributes after it.
    private mutating func declaration(_ notation: JavaScriptReferences.Notation) -> Found? {
        let range = tokenizer.range
        let next = token()
        var type: String?
        if next == .name, tokenizer.isName("with") || tokenizer.isName("assert") {
            type = option("type")
        } else {
            _ = giveUp(next)
        }
        return found(range, notation, Self.destination(ofModule: type))
    }

    /// Reads `import("x")` from the parenthesis on.
    mutating func importCall() -> Found? {
        let first = token()
        guard first == .string else { return giveUp(first) }
        let range = tokenizer.range
        let next = token()
        if isPunctuator(next, ")") { return found(range, .importCall, .module) }
        guard isPunctuator(next, ",") else { return giveUp(next) }
        return found(range, .importCall, Self.destination(ofModule: option("type")))
    }

    /// Reads `import.defer("x")` and `import.source("x")`; `import.meta` is not a reference.
    private mutating func importPhase() -> Found? {
        let name = token()
        guard name == .name, tokenizer.isName("defer") || tokenizer.isName("source") else { return nil }
        let next = token()
        return isPunctuator(next, "(") ? importCall() : giveUp(next)
    }

    private static func destination(ofModule type: String?) -> Destination {
        switch type {
        case nil: .module
        case "css": .style
        default: .other
        }
    }

    // MARK: Parts

    /// True if the current name starts something that the walk looks for.
    private var isKeyword: Bool {
        tokenizer.isName("import") || tokenizer.isName("export") || tokenizer.isName("new")
    }

    /// Returns the value of an option in the literal that follows, such as `{ with: { type: "json" } }`.
    ///
    /// Reading stops after the literal, or at a token that such a literal can't contain.
    mutating func option(_ name: StaticString) -> String? {
        let depth = tokenizer.depth
        var value: String?
        var isKey = false
        while let next = token() {
            switch next {
            case .name:
                if isKeyword {
                    _ = giveUp(next)
                    return value
                }
                isKey = tokenizer.isName(name)
            case .string:
                if isKey { value = value ?? JavaScriptText.string(tokenizer.bytes, tokenizer.range) }
                isKey = tokenizer.isName(name)
            case .punctuator(UInt8(ascii: ":")): continue
            case .punctuator(UInt8(ascii: "{")), .punctuator(UInt8(ascii: ",")): isKey = false
            case .punctuator(UInt8(ascii: "}")) where tokenizer.depth > depth: isKey = false
            default: return value
            }
        }
        return value
    }

    func found(
        _ range: Range<Int>,
        _ notation: JavaScriptReferences.Notation,
        _ loads: Destination
    ) -> Found? {
        guard let text = JavaScriptText.string(tokenizer.bytes, range) else { return nil }
        return Found(text: text, notation: notation, loads: loads, start: range.lowerBound)
    }
}

extension JavaScriptWalk {
    /// Reads `new URL(…)` and `new Worker(new URL(…))` from the position after `new`.
    mutating func constructing() -> Found? {
        let name = token()
        guard name == .name, !tokenizer.isMember else { return nil }
        if tokenizer.isName("URL") { return url(isWorker: false) }
        guard tokenizer.isName("Worker") || tokenizer.isName("SharedWorker") else { return giveUp(name) }
        let open = token()
        guard isPunctuator(open, "(") else { return giveUp(open) }
        let inner = token()
        guard inner == .name, tokenizer.isName("new") else { return giveUp(inner) }
        let innerName = token()
        guard innerName == .name, tokenizer.isName("URL") else { return giveUp(innerName) }
        return url(isWorker: true)
    }

    /// Reads `("x", import.meta.url)` after `new URL`, and for a worker its options.
    private mutating func url(isWorker: Bool) -> Found? {
        let open = token()
        guard isPunctuator(open, "(") else { return giveUp(open) }
        let first = token()
        guard first == .string else { return giveUp(first) }
        let range = tokenizer.range
        var next = token()
        guard isPunctuator(next, ",") else { return giveUp(next) }
        next = token()
        guard next == .name, tokenizer.isName("import") else { return giveUp(next) }
        next = token()
        // `import` may start a call instead.
        if isPunctuator(next, "(") { return importCall() }
        guard isPunctuator(next, ".") else { return giveUp(next) }
        guard token() == .name, tokenizer.isName("meta"), isPunctuator(token(), "."), token() == .name,
            tokenizer.isName("url")
        else { return nil }
        next = token()
        if isPunctuator(next, ",") { next = token() }
        guard isPunctuator(next, ")") else { return giveUp(next) }
        guard isWorker else { return found(range, .url, .other) }
        next = token()
        guard isPunctuator(next, ",") else {
            _ = giveUp(next)
            return found(range, .url, .script)
        }
        return found(range, .url, option("type") == "module" ? .module : .script)
    }
}
