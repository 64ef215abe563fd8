/// Finds the modules that scripts name for an AMD loader, such as RequireJS.
///
/// It reads `define(["./a"], …)` where a statement begins, `require(["./a"], …)` anywhere, and `require.config({…})`
/// with a literal `baseUrl`, `paths`, `packages` and `deps` (https://requirejs.org/docs/api.html). A relative name belongs
/// to the folder of its script. Other names are relative to the loader's base, which is known only in a page, and in the
/// script that configures the loader; what other scripts name is resolved by ``AMDLoader``. A name is the address without
/// `.js`; `text!` and `json!` precede whole addresses. `System.register(["./a.js"], …)` of SystemJS has whole addresses.
struct AMDReferences {
    struct Found {
        var text: String
        var loads: Destination
        var start: Int
        /// True for a name whose address depends on what the loader is configured with.
        var isGuess: Bool
        /// True for a relative name with its suffix in a script's file.
        ///
        /// For RequireJS, it is relative to the module's name, which `paths` may give to a file in another folder.
        var isFile = false
    }

    /// The largest number of names that are taken from one script.
    private static let limit = 1_024
    /// The largest number of entries of `paths`.
    private static let pathLimit = 256

    private let bytes: ScanBuffer
    private let range: Range<Int>
    /// The base of names that aren't relative, or nil if it is unknown.
    private var base: String?
    /// True within a page, where the loader's base is also that of relative names.
    private let isPage: Bool
    private var aliases: Set<String> = []
    private(set) var found: [Found] = []
    /// What the script's file names, for which the loader's configuration is needed.
    private(set) var names: [ModuleName] = []
    /// What the script configures.
    private(set) var loader = AMDLoader()

    /// Reads a script's file.
    static func read(_ bytes: ScanBuffer) -> AMDReferences {
        var reader = AMDReferences(bytes: bytes, range: 0..<bytes.count, base: nil, isPage: false)
        reader.read()
        return reader
    }

    /// Reads a script within a page.
    ///
    /// - Parameters:
    ///   - bytes: The page, or text decoded from it.
    ///   - range: The part of the text that is a script.
    ///   - loader: What the page has configured so far.
    /// - Returns: The modules, whose addresses are relative to the page.
    static func read(_ bytes: ScanBuffer, _ range: Range<Int>, _ loader: AMDLoader) -> AMDReferences {
        var reader = AMDReferences(bytes: bytes, range: range, base: loader.folder, isPage: true)
        reader.aliases = Set(loader.paths.map(\.name))
        reader.loader = loader
        reader.read()
        return reader
    }

    private init(bytes: ScanBuffer, range: Range<Int>, base: String?, isPage: Bool) {
        self.bytes = bytes
        self.range = range
        self.base = base
        self.isPage = isPage
    }

    private mutating func read() {
        var index = range.lowerBound
        while found.count < Self.limit {
            index = bytes.find(UInt8(ascii: "("), from: index, to: range.upperBound)
            guard index < range.upperBound else { return }
            let open = index
            index += 1
            while index < range.upperBound, bytes[index].isSpace { index += 1 }
            guard index < range.upperBound else { return }
            if bytes[index] == UInt8(ascii: "[") {
                if isCall("require", open) || isCall("requirejs", open) {
                    names(at: index)
                } else if isCall("define", open), isStatement(open - 6) {
                    names(at: index)
                } else if !isPage, isCall("System.register", open) {
                    specifiers(at: index)
                }
            } else if bytes[index] == UInt8(ascii: "{"),
                isCall("require.config", open) || isCall("requirejs.config", open) || isCall("require", open)
                    || isCall("requirejs", open)
            {
                index = configuration(at: index)
            }
        }
    }

    private func isCall(_ name: StaticString, _ open: Int) -> Bool {
        let start = open - name.utf8CodeUnitCount
        return bytes.hasSuffix(name, at: open, from: range.lowerBound)
            && (start == range.lowerBound || bytes[start - 1] != UInt8(ascii: "."))
    }

    /// Returns true if a statement begins at a position, as opposed to a `define` for loaders of several kinds.
    private func isStatement(_ start: Int) -> Bool {
        var index = start
        let lowest = max(range.lowerBound, start - 64)
        while index > lowest, bytes[index - 1].isSpace { index -= 1 }
        guard index > range.lowerBound else { return true }
        guard index > lowest else { return false }
        if index < start, bytes[start - 1] == 0x0A || bytes[start - 1] == 0x0D { return true }
        switch bytes[index - 1] {
        case UInt8(ascii: ";"), UInt8(ascii: "}"), UInt8(ascii: "/"): return true
        // A byte order mark.
        case 0xBF: return index - 3 == range.lowerBound
        default: return false
        }
    }

    // MARK: Names

    /// Reads a list of names from its bracket on.
    private mutating func names(at open: Int) {
        var index = open + 1
        while found.count < Self.limit, let literal = literal(at: &index) {
            if let name = JavaScriptText.string(bytes, literal) { add(name, at: literal.lowerBound) }
        }
    }

    /// Reads a list of specifiers of modules of SystemJS from its bracket on; those that aren't addresses are in import maps.
    private mutating func specifiers(at open: Int) {
        var index = open + 1
        while found.count < Self.limit, let literal = literal(at: &index) {
            guard let name = JavaScriptText.string(bytes, literal), !name.isEmpty else { continue }
            if ["./", "../", "/", "https://", "http://"].contains(where: name.hasPrefix) {
                append(name, .script, literal.lowerBound, isGuess: false)
            } else if names.count < Self.limit, ModuleMap.isName(name) {
                names.append(ModuleName(name, loads: .script, isConditional: true))
            }
        }
    }

    /// Returns the string that a position precedes, with white space and commas between them, and moves behind it.
    private func literal(at index: inout Int) -> Range<Int>? {
        while index < range.upperBound, bytes[index].isSpace || bytes[index] == UInt8(ascii: ",") { index += 1 }
        guard let literal = JavaScriptText.literal(bytes, at: index, to: range.upperBound) else { return nil }
        index = literal.upperBound + 1
        return literal
    }

    private mutating func add(_ name: String, at start: Int) {
        var name = name[...]
        var isModule = true
        if let mark = name.firstIndex(of: "!") {
            guard name[..<mark] == "text" || name[..<mark] == "json" else { return }
            name = name[name.index(after: mark)...]
            isModule = false
        }
        guard Self.isAddress(name) else { return }
        let isRelative = name.hasPrefix("./") || name.hasPrefix("../")
        let isComplete = name.hasPrefix("/") || name.hasPrefix("https://") || name.hasPrefix("http://")
        let prefix: String
        if isComplete || isRelative && !isPage {
            prefix = ""
        } else {
            let first = name.prefix { $0 != "/" }
            guard let base, isRelative || !aliases.contains(String(first)) else { return addName(name, isModule) }
            prefix = base
            if isPage { loader.isUsed = true }
        }
        let end = isModule && !isComplete && !name.hasSuffix(".js") ? ".js" : ""
        let isFile = isRelative && !isPage && isModule && end.isEmpty
        append(prefix + name + end, isModule ? .script : .other, start, isGuess: !isRelative, isFile: isFile)
    }

    private mutating func addName(_ name: Substring, _ isModule: Bool) {
        let specifier = AMDLoader.specifier(name + (isModule && !name.hasSuffix(".js") ? ".js" : ""))
        guard names.count < Self.limit, ModuleMap.isName(specifier) else { return }
        names.append(ModuleName(specifier, loads: isModule ? .script : .other, isConditional: true))
    }

    private static func isAddress(_ name: Substring) -> Bool {
        !name.isEmpty && !["require", "exports", "module"].contains(name)
            && !name.utf8.contains { $0.isSpace || "{}<>*:?#!\"'".utf8.contains($0) }
            || name.hasPrefix("https://") || name.hasPrefix("http://")
    }

    private mutating func append(
        _ text: String,
        _ loads: Destination,
        _ start: Int,
        isGuess: Bool,
        isFile: Bool = false
    ) {
        guard found.count < Self.limit else { return }
        found.append(Found(text: text, loads: loads, start: start, isGuess: isGuess, isFile: isFile))
    }

    // MARK: Configuration

    /// Reads the literal members `baseUrl`, `paths`, `packages` and `deps` of an object; returns the position after it.
    private mutating func configuration(at open: Int) -> Int {
        var tokenizer = JavaScriptTokenizer(bytes, open..<range.upperBound, hasHTMLComments: false)
        var paths: [(name: String, text: String, start: Int)] = []
        var packages: [[String: String]] = []
        var dependencies: Int?
        var baseText: String?
        var key: String?
        var section: String?
        var isValue = false
        reading: while paths.count < Self.pathLimit, let token = tokenizer.next(all: true) {
            switch token {
            case .punctuator(UInt8(ascii: "{")):
                if tokenizer.depth == 2 { section = key }
                if tokenizer.depth == 3, section == "packages", packages.count < Self.pathLimit { packages.append([:]) }
                (key, isValue) = (nil, false)
            case .punctuator(UInt8(ascii: "[")):
                if tokenizer.depth == 2 {
                    section = key
                    if key == "deps" { dependencies = tokenizer.range.lowerBound }
                }
            case .punctuator(UInt8(ascii: "]")):
                if tokenizer.depth == 1 { section = nil }
            case .punctuator(UInt8(ascii: "}")):
                if tokenizer.depth < 1 { break reading }
                if tokenizer.depth == 1 { section = nil }
                (key, isValue) = (nil, false)
            case .punctuator(UInt8(ascii: ":")): isValue = key != nil
            case .punctuator(UInt8(ascii: ",")):
                if tokenizer.depth < 3 || section == "packages" { (key, isValue) = (nil, false) }
            case .string:
                let text = JavaScriptText.string(bytes, tokenizer.range)
                if !isValue {
                    key = text
                } else if tokenizer.depth == 1, key == "baseUrl" {
                    baseText = text
                } else if tokenizer.depth >= 2, section == "paths", let key, let text {
                    paths.append((key, text, tokenizer.range.lowerBound))
                } else if tokenizer.depth == 3, section == "packages", let key, !packages.isEmpty {
                    packages[packages.count - 1][key] = text
                }
            case .name: key = isValue ? nil : bytes.string(tokenizer.range)
            case .punctuator(UInt8(ascii: "+")):
                // The address is composed.
                if let key, key == paths.last?.name { paths.removeLast() }
                if key == "baseUrl" { return tokenizer.position }
                key = nil
            case .punctuator, .other: break
            }
        }
        // 'require({…})' is also a function of other programs.
        guard baseText != nil || !paths.isEmpty || !packages.isEmpty || dependencies != nil else {
            return tokenizer.position
        }
        loader.configure(
            base: baseText,
            paths: paths.map { ($0.name, $0.text) },
            packages: packages.compactMap { package in
                package["name"].map { ($0, package["location"] ?? $0, package["main"] ?? "main") }
            }
        )
        apply(baseText, paths)
        if let dependencies { names(at: dependencies) }
        return tokenizer.position
    }

    private mutating func apply(_ baseText: String?, _ paths: [(name: String, text: String, start: Int)]) {
        for path in paths { aliases.insert(path.name) }
        if let baseText {
            // A base in a script's file is relative to the page, which is unknown.
            let isKnown = isPage || baseText.hasPrefix("/") || baseText.hasPrefix("http")
            base = isKnown ? (baseText.hasSuffix("/") || baseText.isEmpty ? baseText : baseText + "/") : nil
        } else {
            base = base ?? ""
        }
        guard let base else { return }
        for path in paths where Self.isAddress(path.text[...]) {
            let isComplete = path.text.hasPrefix("/") || path.text.hasPrefix("http")
            append((isComplete ? "" : base) + path.text + ".js", .script, path.start, isGuess: true)
        }
    }
}
