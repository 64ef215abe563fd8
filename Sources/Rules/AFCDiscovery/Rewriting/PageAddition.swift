public import AFCURL

/// The parts that a page is given for what its scripts do: a script, entries of its import map, and sources in its own
/// policies; docs/reference/rewriting.md.
public struct PageAddition {
    /// A `script` element, in ASCII, which becomes the first of the page.
    public var script: String
    /// The entries for its import map.
    public var imports: Imports
    /// Returns true for a URL to which a link leads out of the packages, so that a page without scripts needs the script.
    public var leadsOut: (WebURL) -> Bool
    /// Returns the policies of a `meta` element so that they admit the parts, of which the import map may be absent.
    public var policy: (_ policies: String, _ importMap: [UInt8]?) -> String

    /// Creates the parts of a page.
    ///
    /// - Parameters:
    ///   - script: A `script` element, in ASCII.
    ///   - imports: The entries for its import map.
    ///   - leadsOut: Returns true for a URL to which a link leads out of the packages.
    ///   - policy: Returns the policies of a `meta` element so that they admit the parts.
    public init(
        script: String,
        imports: Imports,
        leadsOut: @escaping (WebURL) -> Bool,
        policy: @escaping (_ policies: String, _ importMap: [UInt8]?) -> String
    ) {
        self.script = script
        self.imports = imports
        self.leadsOut = leadsOut
        self.policy = policy
    }

    /// The beginnings of module specifiers, and what stands for them; ASCII without quotes, backslashes and `<`.
    public typealias Entries = [(prefix: String, address: String)]

    /// The entries for the modules below one path.
    public struct Scope: Sendable {
        /// The scope as a member of an import map's `scopes`.
        public let member: String

        /// Creates a scope.
        ///
        /// - Parameters:
        ///   - path: The path below which the importing modules are.
        ///   - entries: The entries, which take precedence over those for all modules.
        public init(of path: String, entries: Entries) { member = "\"\(path)\":{\(members(entries))}" }
    }

    /// The entries of an import map.
    public struct Imports: Sendable {
        /// The entries for all modules.
        public var entries: Entries = []
        /// The entries for the modules below some paths.
        public var scopes: [Scope] = []

        /// Creates an import map without entries.
        public init() {}

        /// The members of an import map, each with its own members without braces.
        var parts: [(name: String, members: String)] {
            [
                (name: "imports", members: PageAddition.members(entries)),
                (name: "scopes", members: scopes.map(\.member).joined(separator: ",")),
            ].filter { !$0.members.isEmpty }
        }
    }

    private static func members(_ entries: Entries) -> String {
        entries.map { "\"\($0.prefix)\":\"\($0.address)\"" }.joined(separator: ",")
    }
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

/// Finds the places for further entries in an import map.
enum ImportMapPlace {
    /// Returns edits that add parts, before the page's own entries, which take precedence; none if the text is no import
    /// map.
    static func edits(adding parts: [(name: String, members: String)], to text: ScanBuffer) -> [Edit] {
        var depth = 0
        var start: Int?
        var places: [String: Int] = [:]
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
                // Of several members with one name, the last one counts.
                if depth == 2, let name {
                    places[text.string(name)] = text[index] == UInt8(ascii: "{") ? index + 1 : nil
                }
                name = nil
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ","): name = nil
            default: break
            }
            index += 1
        }
        guard depth == 0, let start, !parts.isEmpty else { return [] }
        func edit(_ place: Int, _ members: String) -> Edit {
            var next = place
            while next < text.count, text[next].isSpace { next += 1 }
            let comma = text.at(next) == UInt8(ascii: "}") ? "" : ","
            return Edit(range: place..<place, text: Array((members + comma).utf8))
        }
        let known = parts.compactMap { part in places[part.name].map { edit($0, part.members) } }
        let new = parts.filter { places[$0.name] == nil }.map { "\"\($0.name)\":{\($0.members)}" }
        let first = new.isEmpty ? [] : [edit(start, new.joined(separator: ","))]
        return first + known.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }
}
