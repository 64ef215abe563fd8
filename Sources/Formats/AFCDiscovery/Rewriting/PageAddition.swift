public import AFCURL

/// The parts that a page is given for what its scripts do: a script, entries of its import map, and sources in its own
/// policies; docs/rewriting.md.
public struct PageAddition {
    /// A `script` element, in ASCII, which becomes the first of the page.
    public var script: String
    /// The beginnings of module specifiers, and what stands for them; ASCII without quotes, backslashes and `<`.
    public var imports: [(prefix: String, address: String)]
    /// Returns true for a URL to which a link leads out of the packages, so that a page without scripts needs the script.
    public var leadsOut: (WebURL) -> Bool
    /// Returns the policies of a `meta` element so that they admit the parts, of which the import map may be absent.
    public var policy: (_ policies: String, _ importMap: [UInt8]?) -> String

    /// Creates the parts of a page.
    ///
    /// - Parameters:
    ///   - script: A `script` element, in ASCII.
    ///   - imports: The beginnings of module specifiers, and what stands for them.
    ///   - leadsOut: Returns true for a URL to which a link leads out of the packages.
    ///   - policy: Returns the policies of a `meta` element so that they admit the parts.
    public init(
        script: String,
        imports: [(prefix: String, address: String)],
        leadsOut: @escaping (WebURL) -> Bool,
        policy: @escaping (_ policies: String, _ importMap: [UInt8]?) -> String
    ) {
        self.script = script
        self.imports = imports
        self.leadsOut = leadsOut
        self.policy = policy
    }

    /// The members of an import map's `imports`, without braces.
    var members: String { imports.map { "\"\($0.prefix)\":\"\($0.address)\"" }.joined(separator: ",") }
}

/// The parts that a page was given.
public struct AddedParts: Equatable, Sendable {
    /// True if the page has the script.
    public var hasScript = false
    /// The text of the import map, in UTF-8, whose digest a policy may have to allow; nil if it is the page's own,
    /// unchanged, or if there is none.
    public var importMap: [UInt8]?

    /// Creates the parts of a page that was given none.
    public init() {}
}

/// The places of parts that a page may be given, and what decides on them.
struct AdditionPlaces {
    private let syntax: HTMLDocumentScanner.Syntax
    /// The place before everything that a page's head may have.
    private(set) var start: Int?
    /// True if the page runs scripts.
    private(set) var runsScripts = false
    /// The text of the first import map.
    private(set) var ownMap: Range<Int>?
    private var isBeforeMap = false

    init(_ syntax: HTMLDocumentScanner.Syntax) { self.syntax = syntax }

    /// Notes a start tag.
    mutating func note(_ scanner: HTMLDocumentScanner, _ text: ScanBuffer) {
        let tokenizer = scanner.tokenizer
        isBeforeMap = false
        if start == nil, syntax == .html, tokenizer.element != .html {
            start = tokenizer.element == .head ? tokenizer.position : tokenizer.tokenStart
        } else if start == nil, tokenizer.element == .head {
            // In XML, only a page's head may have further elements.
            start = tokenizer.position
        }
        guard tokenizer.element == .script, scanner.templateDepth == 0, !scanner.isInNoscript else { return }
        func value(_ name: HTMLAttributeName) -> String? {
            tokenizer.value(of: name).map { HTMLText.attribute(text, $0) }
        }
        let type = ScriptType(type: value(.type), language: value(.language))
        isBeforeMap = type == .importMap
        runsScripts = runsScripts || type == .classic || type == .module
    }

    /// Notes a text.
    mutating func noteText(_ range: Range<Int>) {
        if isBeforeMap { ownMap = ownMap ?? range }
        isBeforeMap = false
    }
}

/// Finds the place for further entries in an import map.
enum ImportMapPlace {
    /// Returns an edit that adds members to `imports`, before the page's own, which take precedence; nil if the text is
    /// no import map.
    static func edit(adding members: String, to text: ScanBuffer) -> Edit? {
        var depth = 0
        var (start, place): (Int?, Int?)
        var name: Range<Int>?
        var index = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""):
                let first = index + 1
                index = first
                while index < text.count, text[index] != UInt8(ascii: "\"") {
                    index += text[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                name = depth == 1 ? first..<min(index, text.count) : nil
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if depth == 1 { start = text[index] == UInt8(ascii: "{") ? index + 1 : nil }
                if depth == 2, let name, text.string(name) == "imports" {
                    // Of several members with this name, the last one counts.
                    place = text[index] == UInt8(ascii: "{") ? index + 1 : nil
                }
                name = nil
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ","): name = nil
            default: break
            }
            index += 1
        }
        guard depth == 0, let start else { return nil }
        func follows(_ place: Int) -> String {
            var next = place
            while next < text.count, text[next].isSpace { next += 1 }
            return text.at(next) == UInt8(ascii: "}") ? "" : ","
        }
        if let place { return Edit(range: place..<place, text: Array((members + follows(place)).utf8)) }
        return Edit(range: start..<start, text: Array(("\"imports\":{\(members)}" + follows(start)).utf8))
    }
}
