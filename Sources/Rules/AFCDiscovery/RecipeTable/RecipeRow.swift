/// One row of a table of recipes: where to read, and what follows from it.
struct RecipeRow: Sendable {
    /// The kind of text that a row reads.
    enum Place: String, CaseIterable {
        case page, script, data
    }

    /// The way to find values in a text.
    enum Source {
        /// One value, the empty text.
        case nothing
        /// The string after one of several marks, or the bytes up to an end.
        case after([TextMark], until: UInt8?)
        /// Every string of a script.
        case strings
        /// The value of an attribute.
        case attribute([UInt8])
        /// The content of a `meta` element.
        case meta([UInt8])
        /// Strings, keys or objects at a path in JSON, which may begin behind a mark.
        case json(JSONPathWalk, from: TextMark?)
        /// What precedes a pattern in the addresses of the files that a page loads.
        case loads(PathGlob)
        /// The targets of links in Markdown.
        case markdown
    }

    /// The URL that addresses are relative to.
    enum Base: String, CaseIterable {
        /// The page, script or data file.
        case file
        /// The root of the host.
        case host
        /// The folder of the file, also for addresses that begin with a slash.
        case folder
    }

    var recipe: Recipe
    var place: Place
    /// The patterns of which a script's or data file's path must match one.
    var files: [PathGlob] = []
    /// The beginnings of which the page's generator must have one.
    var generators: [String] = []
    /// The patterns of which a file that the page loads must match one.
    var loads: [PathGlob] = []
    /// The id of the `script` element to read.
    var element: String?
    /// The texts that must be in scripts of the page.
    var inline: [[UInt8]] = []
    /// The texts that must be in the file.
    var texts: [[UInt8]] = []
    /// The texts that must not be in the file.
    var absentTexts: [[UInt8]] = []
    var source = Source.nothing
    /// The members that a found object must have.
    var members: [(String, String)] = []
    /// The beginnings, ends and parts of which a value, or the address that it was found in, must have one each.
    var starts: [String] = []
    var ends: [String] = []
    var contains: [String] = []
    /// The parts that a value must not have.
    var without: [String] = []
    /// The end that is cut off; a value must have it.
    var cut: String?
    var templates: [AddressTemplate] = []
    var base = Base.file
    var destination = Destination.other
    var isGuess = false
    var isLink = false
    /// The largest number of guesses in a text.
    var limit = RecipeReferences.guessLimit

    /// The largest number of values that one row takes from a text.
    private static let maxValues = 10_000

    /// Adds what follows from a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - found: The list.
    ///   - count: The number of values before it in the text.
    /// - Returns: True if the row takes further values.
    func add(_ value: RecipeValue, to found: inout RecipeReferences, after count: inout Int) -> Bool {
        guard count < Self.maxValues else { return false }
        guard let value = accepted(value) else { return true }
        count += 1
        for template in templates {
            guard var address = template.address(of: value) else { continue }
            let isWhole = address.contains("://")
            if base == .host, !isWhole, !address.hasPrefix("/") { address = "/" + address }
            if base == .folder, !isWhole { address = String(address.drop { $0 == "/" }) }
            guard !address.isEmpty else { continue }
            if isGuess {
                found.addGuess(address, destination, at: value.offset, limit: limit)
            } else if isLink {
                found.addLink(address, destination, at: value.offset)
            } else {
                found.add(address, destination, at: value.offset)
            }
        }
        return true
    }

    /// Returns a value without the end that is cut off, or nil if the row doesn't take it.
    private func accepted(_ value: RecipeValue) -> RecipeValue? {
        var value = value
        let whole = value.address ?? value.text
        let path = whole.prefix { $0 != "?" && $0 != "#" }
        func has(_ parts: [String], _ test: (String) -> Bool) -> Bool { parts.isEmpty || parts.contains(where: test) }
        guard has(starts, whole.hasPrefix), has(ends, path.hasSuffix), has(contains, { whole.contains($0) }),
            !without.contains(where: { whole.contains($0) }),
            members.allSatisfy({ value.members[$0.0] == $0.1 })
        else { return nil }
        if let cut {
            let end = value.text.utf8.suffix(cut.utf8.count)
            guard end.elementsEqual(cut.utf8, by: { $0.lowercased == $1.lowercased }) else { return nil }
            value.text = String(decoding: value.text.utf8.dropLast(cut.utf8.count), as: UTF8.self)
        }
        return value
    }
}

/// A value that a row found.
struct RecipeValue {
    var text = ""
    /// The whole address, if the value is a part of one.
    var address: String?
    /// The place in the text.
    var offset = 0
    /// The keys that `*` stands for in a path in JSON.
    var keys: [String] = []
    /// The strings of a found object.
    var members: [String: String] = [:]
    /// The query of an address, with its question mark.
    var query = ""
    /// The text that `*` stands for in a pattern.
    var star = ""
}

/// An address with places for parts of a value, such as `{}index.json` or `extensions/{.name}/{.load}`.
struct AddressTemplate: Sendable {
    /// A part of a template.
    enum Part: Hashable {
        case literal(String)
        /// `{}`: the value.
        case value
        /// `{1}`: a key that `*` stands for.
        case key(Int)
        /// `{.name}`: a member of the object.
        case member(String)
        /// `{query}`: the query of the address.
        case query
        /// `{*}`: the text that `*` stands for.
        case star
    }

    private(set) var parts: [Part] = []
    /// The longest address, in bytes.
    private static let maxLength = 8_192

    /// Creates a template; nil if a place isn't known.
    init?(_ text: String) {
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            if open > rest.startIndex { parts.append(.literal(String(rest[..<open]))) }
            guard let close = rest[open...].firstIndex(of: "}") else { return nil }
            let name = rest[rest.index(after: open)..<close]
            switch name {
            case "": parts.append(.value)
            case "query": parts.append(.query)
            case "*": parts.append(.star)
            default:
                if name.hasPrefix("."), name.count > 1 {
                    parts.append(.member(String(name.dropFirst())))
                } else if let number = Int(name), (1...4).contains(number) {
                    parts.append(.key(number - 1))
                } else {
                    return nil
                }
            }
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.literal(String(rest))) }
    }

    /// Returns the address, or nil if a part is missing.
    func address(of value: RecipeValue) -> String? {
        var address = ""
        for part in parts {
            switch part {
            case .literal(let text): address += text
            case .value: address += value.text
            case .query: address += value.query
            case .star: address += value.star
            case .key(let index):
                guard index < value.keys.count else { return nil }
                address += value.keys[index]
            case .member(let name):
                guard let text = value.members[name] else { return nil }
                address += text
            }
            guard address.utf8.count <= Self.maxLength else { return nil }
        }
        return address
    }
}
