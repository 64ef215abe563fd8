/// Finds the pages that a script opens by a literal address, such as `location.replace("new.html")`.
///
/// It reads assignments to `location` and `location.href`, calls of `location.assign`, `location.replace` and
/// `window.open`, also through `window`, `document`, `self`, `top` and `parent`. An address may continue with the
/// page's own query or fragment (`"new.html" + location.hash`); any other address that is composed is left out.
struct ScriptNavigation {
    /// The way of opening a page.
    enum Notation: String {
        case location
        case open = "window.open()"
    }

    struct Found {
        var text: String
        var notation: Notation
        /// The position of the text.
        var start: Int
        /// True if the script does it at once, outside functions and conditions.
        var isImmediate: Bool
    }

    /// The largest number of addresses that are taken from one script.
    private static let limit = 64

    private var tokenizer: JavaScriptTokenizer
    /// A token that was read but not used.
    private var pending: JavaScriptTokenizer.Token?
    /// True if the last name declares another one, as `var` does.
    private var isDeclaration = false

    /// Calls a closure for each address.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - range: The part of the text that is a script.
    ///   - found: Takes the address.
    static func forEach(in bytes: ScanBuffer, _ range: Range<Int>, _ found: (Found) -> Void) {
        let part = ScanBuffer(bytes.slice(range))
        // Most scripts open no page, and this is much faster than reading tokens.
        guard part.position(of: "location") != nil || part.position(of: "window.open") != nil else { return }
        var reader = ScriptNavigation(tokenizer: JavaScriptTokenizer(bytes, range, hasHTMLComments: true))
        var rest = limit
        while rest > 0, let next = reader.next() {
            rest -= 1
            found(next)
        }
    }

    private init(tokenizer: JavaScriptTokenizer) { self.tokenizer = tokenizer }

    private mutating func next() -> Found? {
        while let token = token() {
            guard token == .name, !tokenizer.isMember else {
                isDeclaration = false
                continue
            }
            guard !isDeclaration else {
                isDeclaration = false
                continue
            }
            let isImmediate = tokenizer.depth == 0
            if tokenizer.isName("location") {
                if let found = location(isImmediate) { return found }
            } else if isWindow {
                if let found = member(isImmediate) { return found }
            } else {
                isDeclaration = tokenizer.isName("var") || tokenizer.isName("let") || tokenizer.isName("const")
            }
        }
        return nil
    }

    private mutating func token() -> JavaScriptTokenizer.Token? {
        if let token = pending {
            pending = nil
            return token
        }
        return tokenizer.next(all: true)
    }

    /// Returns true if the next token is a character; otherwise it is read again.
    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        let next = token()
        if next == .punctuator(UInt8(ascii: character)) { return true }
        pending = next
        return false
    }

    private var isWindow: Bool {
        tokenizer.isName("window") || tokenizer.isName("document") || tokenizer.isName("self")
            || tokenizer.isName("top") || tokenizer.isName("parent")
    }

    /// Reads what follows `window`.
    private mutating func member(_ isImmediate: Bool) -> Found? {
        while takes(".") {
            let name = token()
            guard name == .name else {
                pending = name
                return nil
            }
            if tokenizer.isName("location") { return location(isImmediate) }
            if tokenizer.isName("open") { return takes("(") ? address(.open, isImmediate) : nil }
            guard isWindow else { return nil }
        }
        return nil
    }

    /// Reads what follows `location`.
    private mutating func location(_ isImmediate: Bool) -> Found? {
        if takes("=") { return address(.location, isImmediate) }
        guard takes(".") else { return nil }
        let name = token()
        guard name == .name else {
            pending = name
            return nil
        }
        if tokenizer.isName("href") { return takes("=") ? address(.location, isImmediate) : nil }
        guard tokenizer.isName("assign") || tokenizer.isName("replace") else { return nil }
        return takes("(") ? address(.location, isImmediate) : nil
    }

    private mutating func address(_ notation: Notation, _ isImmediate: Bool) -> Found? {
        let first = token()
        guard first == .string else {
            pending = first
            return nil
        }
        let range = tokenizer.range
        guard endsAddress(), let text = JavaScriptText.string(tokenizer.bytes, range) else { return nil }
        return Found(text: text, notation: notation, start: range.lowerBound, isImmediate: isImmediate)
    }

    /// Returns true if nothing but the page's own query or fragment continues the address.
    private mutating func endsAddress() -> Bool {
        while true {
            let next = token()
            switch next {
            case nil: return true
            case .punctuator(UInt8(ascii: "+")):
                guard isOwnPart() else { return false }
            case .punctuator(UInt8(ascii: ";")), .punctuator(UInt8(ascii: ",")), .punctuator(UInt8(ascii: ")")),
                .punctuator(UInt8(ascii: "}")), .name:
                pending = next
                return true
            default:
                pending = next
                return false
            }
        }
    }

    /// Reads `location.hash` or `window.location.search`.
    private mutating func isOwnPart() -> Bool {
        var next = token()
        while next == .name, isWindow {
            guard takes(".") else { return false }
            next = token()
        }
        guard next == .name, tokenizer.isName("location") else {
            pending = next
            return false
        }
        guard takes("."), token() == .name else { return false }
        return tokenizer.isName("hash") || tokenizer.isName("search")
    }
}
