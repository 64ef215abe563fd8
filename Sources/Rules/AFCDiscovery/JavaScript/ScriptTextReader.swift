/// Reads the addresses that a script names in texts, by tokens and without running it; docs/reference/discovery.md,
/// "Addresses in scripts".
///
/// A text is a string, or the literal end of a template or of a concatenation. Names that the script binds exactly once, to
/// a text, stand for that text; members, parameters and everything else are unknown.
struct ScriptTextReader {
    /// The largest number of texts that one script yields.
    static let limit = 512
    /// The largest number of calls that are named for one script.
    static let callLimit = 20
    /// The largest number of texts that the variables of one script's loops have.
    private static let valueLimit = 8_192
    /// The largest number of texts and bindings that are considered.
    private static let considered = 65_536

    /// The value of an expression so far.
    private enum Value {
        case text(String)
        case name(UInt64)
        /// A text and a name after it.
        case ending(String, UInt64)
        /// Something unknown and a text after it.
        case end(String)
        case unknown
    }

    /// The meaning of what stands in a pair of brackets.
    private enum Enclosure {
        /// Nothing in particular, as at the top level or in a block.
        case plain
        /// Grouping parentheses or an array, which mean the same as what is around them.
        case group
        /// The arguments of a function.
        case call(Function)
        /// The parameters of a function.
        case parameters
        case object
        /// A substitution in a template, with the template's value before it.
        case substitution(Value)
    }

    /// A function, as far as its name tells.
    private struct Function {
        /// The first and the last argument that may be the address of something to load; nil if none is.
        var loads: ClosedRange<Int>?
        /// True if the function itself, and not only its name, is known.
        var isKnown = false
        /// The number of commas in a call that loads something, at least; `open(name)` of a database has fewer.
        var leastIndex = 0
        /// True if the address is relative to the script.
        var isInScript = false
        /// True if texts in the arguments aren't addresses, as in `includes("x.json")`.
        var isTest = false
        /// True if an object in the arguments says what a text stands for, as in `registerFile("a.csv", {name: "a.csv"})`.
        var registers = false
        /// The first argument of which a mere name isn't an address, as in `join(base, folder, "x.json")`.
        var namesFrom = Int.max
        /// True if the arguments continue what the function is called on, as in `"".concat(base, "x.json")`.
        var isConcatenation = false
        /// True if a text is a module's specifier and isn't an address.
        var takesSpecifier = false
        /// True if the function returns a part of the text on which it is called.
        var cuts = false
        /// True if a second argument is the base of the first.
        var takesBase = false
        /// True if the address is an argument only after a literal `src`, `href` or `data`.
        var setsAttribute = false
        /// True if texts in the arguments are markup that the page then contains, as in `document.write("<script src=x.js>")`.
        var takesMarkup = false
        /// True if the argument is the folder of what a loader loads afterwards, as in `loader.setPath("models/")`.
        var setsFolder = false

        /// True for a function of which nothing is known but that it may make an address of its arguments.
        var isPlain: Bool {
            !isTest && !registers && !isConcatenation && !takesSpecifier && !cuts && !setsAttribute && !takesMarkup
                && !setsFolder && loads == nil
        }

        static let other = Function()
    }

    /// The state within one pair of brackets.
    private struct Level {
        var enclosure: Enclosure
        /// True if the value here is, or is part of, an argument of a call.
        var isArgument = false
        /// The number of commas so far.
        var index = 0
        /// The key of the object's current member: true if its value is an address to load.
        var isAddressKey = false
        /// The key of the object's current member: true if it is `src` without quotes, so that the object isn't mere data.
        var isSourceKey = false
        /// True while a value is read that a reader sees, as that of `title`.
        var isShown = false
        /// True if the brackets are a group in such a value.
        var isShownAround = false
        /// The key of the object's current member: true if it names a module of a package, as in `{"./a": "./dist/a.js"}`.
        var isModuleKey = false
        /// True if the object is the value of such a member, or of a member within it, or registers a file.
        var isInModules = false
        /// The value of the current expression, or nil at its start.
        var value: Value?
        /// True after a `+`, whose right operand follows.
        var isAdding = false
        /// The value before a group that is itself the right operand of a `+`, as in `base + (name || "x.json")`.
        var groupStart: Value?
        /// True once the current expression has the beginning of another address, as in `a.src.slice(0, -9) + "x.png"`.
        var isCut = false
        /// The name to which the current expression is assigned; nil if it isn't, or not to a plain name.
        var binds: UInt64?
        /// True while the right side of an assignment to `src` and the like is read.
        var isAssigned = false
        /// True while the right side of an assignment to `innerHTML` is read.
        var isMarkup = false
        /// True if an attribute's name that holds an address was the first argument.
        var isAddressAttribute = false
        /// True if the brackets are a group or a concatenation, and what is written around them is loaded.
        var isLoadedAround = false
        /// The place of the function's name.
        var start = 0
        /// The object whose function is called.
        var object: Range<Int>?
        /// The folder that a loader was given for the address, or for that of the next call.
        var folder: String?
        /// The place of the second argument, and the number of texts before the first.
        var secondArgument: Int?
        var firstText = 0
        /// True if a part of the address is a text with a slash.
        var isComposed = false
        /// True if two unknown parts of the address follow each other, or a query that only asks for a fresh copy is composed.
        var isUnknown = false
        /// The place of `a.src` while its right side, an entry of a table, is read.
        var entryStart: Int?
        /// True after an index in that right side.
        var hasIndex = false
        /// The value of the item that an index selects, while the index is read; nil if it is unknown.
        var item: Value?
        /// The list through whose items the function runs that is the next argument; nil for none.
        var list: UInt64?
        /// True if an address was read.
        var hasAddress = false
        /// True if an argument that is an address is a name or a member, which may be any.
        var hasUnknownAddress = false
        /// The number of `?` that wait for their `:`.
        var questions = 0
        /// The number of names in the outer brackets.
        var firstName = 0

        init(_ enclosure: Enclosure) { self.enclosure = enclosure }
    }

    /// The function that a parenthesis may call.
    private struct Callee {
        /// The name of the object that has the function; nil if there is none.
        var object: Range<Int>?
        var name: Range<Int>?
        /// True after `function`, so that the parentheses hold parameters.
        var isDefinition = false
    }

    /// A text that becomes an address unless the next token says otherwise.
    private struct Candidate {
        var text: String
        /// The name whose value precedes it, or nil.
        var name: UInt64?
        /// The text before that name.
        var beginning = ""
        /// The numbers that the name has here, if it is the variable of a loop.
        var numbers: Range<Int>?
        var head: ScriptText.Head
        var strength: ScriptText.Strength
        /// True for a whole specifier, which is no guess: what it names is known.
        var isSpecifier = false
        /// True for a whole argument of a function that only loads, whose suffix doesn't matter.
        var hasAnySuffix = false
        /// True for a whole text that is the path of an image or medium, which counts wherever it occurs.
        var isMedium = false
        /// True if the same holds once the name is known.
        var isMediumOnceKnown = false

        /// Returns the text with what precedes it, or nil if it isn't an address.
        func found(_ text: String, _ head: ScriptText.Head) -> ScriptText? {
            ScriptText.of(text, strength, head, hasAnySuffix: hasAnySuffix, isMedium: isMedium)
        }
    }

    private enum SourcePair {
        case none, name, value
    }

    /// A name that the script binds to a text.
    private struct Binding {
        var text: String?
        var count: Int
    }

    private let bytes: ScanBuffer
    private let start: JavaScriptTokenizer
    private var tokenizer: JavaScriptTokenizer
    private var level = Level(.plain)
    /// The levels around the current one, outermost first.
    private var outer: [Level] = []
    private var callee = Callee()
    /// The progress within a pair such as `"src", "img/a.svg"`, which the templates of frameworks compile to.
    private var source = SourcePair.none
    private var last: JavaScriptTokenizer.Token?
    private var lastRange = 0..<0
    /// The plain names directly in the open brackets, which may turn out to be parameters.
    private var names: [UInt64] = []
    /// Those of the brackets that were closed last.
    private var closedNames: [UInt64] = []
    private var pending: Candidate?
    private var pendingBinding: UInt64?
    private var candidates: [Candidate] = []
    /// The calls whose addresses couldn't be read.
    private var calls: [Range<Int>] = []
    /// True if a call loads something by an address of which it shows nothing.
    private var loadsUnknown = false
    /// The assignments of a member of a table's entry to `src`, each with the member's name.
    private var entries: [(place: Range<Int>, member: Range<Int>)] = []
    /// The name that ends such an assignment unless the next token continues it.
    private var entryMember: Range<Int>?
    private var bindings: [UInt64: Binding] = [:]
    /// True for a text that begins as data in JSON does, which mentions pictures of other things as well.
    private var isData = false
    private var loops = ScriptLoops()
    /// The name before `of`.
    private var variable: UInt64?
    /// The list that ended last, and its end.
    private var lastList: (name: UInt64, end: Int)?
    /// The folders that loaders were given, by the hash of their names.
    private var folders: [UInt64: String] = [:]
    /// The functions that were called, by the hash of their names.
    private var functions: [UInt64: Function] = [:]

    private init(_ bytes: ScanBuffer, _ range: Range<Int>, _ goal: JavaScriptReferences.Goal) {
        self.bytes = bytes
        start = JavaScriptTokenizer(bytes, range, hasHTMLComments: goal == .script)
        tokenizer = start
    }

    /// Reads the texts of a script, or of data in JSON.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - range: The part of the text that is a script.
    ///   - goal: The script's grammar.
    /// - Returns: The texts, each once, in the order of their first mention, at most ``limit``; and the calls whose
    ///   addresses it couldn't read, at most ``callLimit``.
    static func read(_ bytes: ScanBuffer, _ range: Range<Int>, _ goal: JavaScriptReferences.Goal) -> ScriptTexts {
        var reader = ScriptTextReader(bytes, range, goal)
        reader.read()
        return ScriptTexts(
            texts: reader.resolved(),
            calls: reader.located(),
            loadsUnknown: reader.loadsUnknown
        )
    }

    private mutating func read() {
        while var token = tokenizer.next(all: true), candidates.count < Self.considered {
            var range = tokenizer.range
            if last == nil, token == .punctuator(UInt8(ascii: "{")) || token == .punctuator(UInt8(ascii: "[")) {
                isData = true
            }
            settle(before: token, range)
            if entryMember != nil { settleEntry(before: token) }
            if loops.isBeginning { loops.begin(at: range.lowerBound) }
            switch token {
            case .punctuator(UInt8(ascii: "[")) where tokenizer.skipPlainList():
                plainList(range.lowerBound..<tokenizer.range.upperBound)
                token = .punctuator(UInt8(ascii: "]"))
                range = tokenizer.range
            case .name: name(range)
            case .string: string(range)
            case .other: other(range)
            case .punctuator(let byte): punctuator(byte, range)
            }
            switch token {
            case .string: source = isWord(range, "src") ? .name : .none
            case .punctuator(UInt8(ascii: ",")) where source == .name: source = .value
            default: source = .none
            }
            last = token
            lastRange = range
            if outer.count != tokenizer.depth { synchronize() }
        }
        settle(before: nil, tokenizer.range)
        if entryMember != nil { settleEntry(before: nil) }
        calls += entries.filter { !isDefined($0.member) }.map(\.place).prefix(max(0, Self.callLimit - calls.count))
        calls.sort { $0.lowerBound < $1.lowerBound }
    }

    /// Gives the levels the tokenizer's depth, should they differ in an unbalanced script.
    private mutating func synchronize() {
        while outer.count > tokenizer.depth { leave() }
        while outer.count < tokenizer.depth { enter(Level(.plain)) }
    }

    private mutating func enter(_ inner: Level) {
        outer.append(level)
        level = inner
        level.firstName = names.count
    }

    private mutating func leave() {
        closedNames.removeAll(keepingCapacity: true)
        closedNames += names[min(level.firstName, names.count)...].prefix(Self.parameters)
        names.removeLast(max(0, names.count - level.firstName))
        level = outer.popLast() ?? Level(.plain)
    }

    /// The largest number of parameters of one function that are noticed.
    private static let parameters = 64

    // MARK: Operands

    private mutating func name(_ range: Range<Int>) {
        if tokenizer.isMember {
            callee = Callee(object: last == .punctuator(UInt8(ascii: ".")) ? callee.name : nil, name: range)
            level.value = .unknown
            // The address of an element in the page, which the crawl has.
            if tokenizer.isName("href") || tokenizer.isName("src") { level.hasUnknownAddress = false }
            if level.hasIndex, level.entryStart != nil { entryMember = range }
            return
        }
        if isKeyword(range) {
            if tokenizer.isName("of") { variable = names.last }
            callee = Callee(name: tokenizer.isName("import") ? range : nil, isDefinition: tokenizer.isName("function"))
            level.value = nil
            level.isAdding = false
            return
        }
        callee = Callee(name: range, isDefinition: callee.isDefinition && callee.name == nil)
        let hash = hash(of: range)
        if tokenizer.isName("for") { loops.readHeader(bytes, after: range.upperBound) }
        // `for (const url of list)`
        if let variable, last == .name, isWord(lastRange, "of") {
            loops.noteVariable(variable, of: hash)
            self.variable = nil
        }
        names.append(hash)
        operand(.name(loops.meaning(of: hash)), isLiteral: false)
    }

    private mutating func string(_ range: Range<Int>) {
        callee = Callee()
        proposeFunctions(range)
        if takesMarkup || showsMarkup(range), proposeMarkup(range) { return operand(.unknown, isLiteral: false) }
        // Most strings are neither addresses nor parts of them.
        let isPart =
            level.isAdding || level.binds != nil || isFolder
            || bytes.at(range.upperBound + 1).map { $0 == UInt8(ascii: "+") || $0.isSpace } ?? false
        guard range.count <= 4 * ScriptText.longestTail,
            isPart || isAttributeName || mayBeAddress(range) || isWholeArgument && mayHaveSuffix(range)
        else { return operand(.unknown, isLiteral: false) }
        operand(JavaScriptText.string(bytes, range).map { .text($0) } ?? .unknown, isLiteral: true)
    }

    /// Returns false for most literals that aren't addresses.
    private func mayBeAddress(_ range: Range<Int>) -> Bool {
        guard bytes.find(UInt8(ascii: "."), from: range.lowerBound, to: range.upperBound) < range.upperBound else {
            return false
        }
        return bytes.find(UInt8(ascii: "\\"), from: range.lowerBound, to: range.upperBound) < range.upperBound
            || ScriptText.hasSuffix(bytes.slice(range))
    }

    /// True if what is written here is all of an argument of a function such as `fetch`.
    private var isWholeArgument: Bool {
        guard level.value == nil, !level.isAdding, level.groupStart == nil, case .call(let function) = level.enclosure
        else {
            return false
        }
        return function.isKnown && !function.takesSpecifier && function.loads?.contains(level.index) ?? false
    }

    /// Returns true for a literal with a dot in its last segment.
    private func mayHaveSuffix(_ range: Range<Int>) -> Bool {
        bytes.slice(range).last { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") } == UInt8(ascii: ".")
    }

    /// True if a text here is markup that the page then contains.
    private var takesMarkup: Bool {
        if level.isMarkup { return true }
        return if case .call(let function) = level.enclosure { function.takesMarkup } else { false }
    }

    /// Keeps the addresses that elements load in a string of markup; returns false for any other string.
    private mutating func proposeMarkup(_ range: Range<Int>) -> Bool {
        guard
            bytes.find(UInt8(ascii: "<"), from: range.lowerBound, to: range.upperBound) < range.upperBound
                || bytes.find(UInt8(ascii: "%"), from: range.lowerBound, to: range.upperBound) < range.upperBound,
            let text = JavaScriptText.string(bytes, range), let markup = MarkupText(text)
        else { return false }
        // Whether the page gets it is certain in some places only.
        let isShown = takesMarkup
        for address in markup.addresses where candidates.count < Self.considered {
            guard isShown || ScriptText.isMediumInFolder(address) else { continue }
            candidates.append(Candidate(text: address, name: nil, head: .none, strength: .loaded))
        }
        return true
    }

    /// Returns true for an argument or a tagged template that begins as markup and has an address, as components have.
    private func showsMarkup(_ range: Range<Int>) -> Bool {
        guard level.isArgument || last == .name,
            let start = bytes.slice(range).firstIndex(where: { !$0.isSpace }),
            bytes.at(range.lowerBound + start) == UInt8(ascii: "<"), !isExcluded
        else { return false }
        return hasSource(range)
    }

    /// Returns true if a text has `src=`.
    private func hasSource(_ range: Range<Int>) -> Bool {
        var index = range.lowerBound + 3
        while index < range.upperBound {
            index = bytes.find(UInt8(ascii: "="), from: index, to: range.upperBound)
            if index < range.upperBound, bytes.hasPrefix("src", at: index - 3) { return true }
            index += 1
        }
        return false
    }

    /// Keeps the addresses in a part of a template that is markup or a style sheet.
    private mutating func noteTemplateText(_ range: Range<Int>) {
        if hasSource(range) { _ = proposeMarkup(range) }
        proposeFunctions(range)
    }

    /// Keeps the addresses of images, fonts and media within `url()`, as in a style sheet that a script makes.
    private mutating func proposeFunctions(_ range: Range<Int>) {
        guard bytes.find(UInt8(ascii: "("), from: range.lowerBound, to: range.upperBound) < range.upperBound,
            !isExcluded
        else {
            return
        }
        let part = ScanBuffer(bytes.slice(range))
        for address in EmbeddedAddresses.inFunctions(part) where candidates.count < Self.considered {
            candidates.append(Candidate(text: address, name: nil, head: .none, strength: .loaded))
        }
    }

    /// True if the next text is the folder of a loader, as in `setPath("models/")`.
    private var isFolder: Bool {
        if case .call(let function) = level.enclosure { function.setsFolder && level.index == 0 } else { false }
    }

    /// True if the next text may name an attribute, as in `setAttribute("src", address)`.
    private var isAttributeName: Bool {
        if case .call(let function) = level.enclosure { function.setsAttribute && level.index == 0 } else { false }
    }

    private func isKeyword(_ range: Range<Int>) -> Bool {
        switch range.count {
        case 2: tokenizer.isName("of") || tokenizer.isName("in") || tokenizer.isName("if")
        case 3: tokenizer.isName("let") || tokenizer.isName("var") || tokenizer.isName("new")
        case 4:
            tokenizer.isName("from") || tokenizer.isName("case") || tokenizer.isName("else") || tokenizer.isName("void")
        case 5:
            tokenizer.isName("const") || tokenizer.isName("await") || tokenizer.isName("throw")
                || tokenizer.isName("yield")
        case 6:
            tokenizer.isName("return") || tokenizer.isName("import") || tokenizer.isName("export")
                || tokenizer.isName("typeof") || tokenizer.isName("delete")
        case 8: tokenizer.isName("function")
        default: false
        }
    }

    private mutating func other(_ range: Range<Int>) {
        callee = Callee()
        let first = bytes[range.lowerBound]
        if first == UInt8(ascii: "`") {
            let part = range.lowerBound + 1..<max(range.lowerBound + 1, range.upperBound - 2)
            let text = JavaScriptText.string(bytes, part)
            noteTemplateText(part)
            let before = level.isAdding ? level.value : level.groupStart
            let value = joined(before, .text(text ?? ""))
            notePart(text ?? "")
            if let text { proposeBeginning(text, after: before, range) }
            var inner = Level(.substitution(value))
            inner.start = range.lowerBound
            inner.isComposed = text.map(Self.namesFolder) ?? false
            enter(inner)
        } else if first == UInt8(ascii: "/"), range.count == 1 {
            level.value = nil
            level.isAdding = false
        } else if let number = number(range) {
            // `i + 1`
            if level.isAdding, let sum = shifted(by: number) {
                level.value = sum
                level.isAdding = false
                return
            }
            let name = level.binds
            operand(.unknown, isLiteral: false)
            if let name { loops.noteNumber(name, number) }
        } else {
            operand(.unknown, isLiteral: false)
        }
    }

    /// Returns a literal that is a small whole number; nil for any other one.
    private func number(_ range: Range<Int>) -> Int? {
        guard range.count <= 6, bytes.slice(range).allSatisfy(\.isDigit) else { return nil }
        return bytes.slice(range).reduce(0) { $0 * 10 + Int($1 & 0x0F) }
    }

    /// Returns the sum of the current value and a number, if it ends in the variable of a loop that counts.
    private mutating func shifted(by number: Int) -> Value? {
        switch level.value {
        case .name(let name)?: loops.shifted(name, by: number).map { .name($0) }
        // `"a" + i + 1` ends in two numbers, `"a" + (i + 1)` in one.
        case .ending(let beginning, let name)? where level.groupStart != nil:
            loops.shifted(name, by: number).map { .ending(beginning, $0) }
        default: nil
        }
    }

    /// Adds an operand to the current expression; a literal may be the end of an address.
    private mutating func operand(_ operand: Value, isLiteral: Bool) {
        let before = level.isAdding ? level.value : level.groupStart
        let isFirst = !level.isAdding && before == nil
        let isWhole = isLiteral && isWholeArgument
        level.value = isFirst ? operand : joined(before, operand)
        if let before { noteSum(before, operand) }
        level.isAdding = false
        noteUnknown(operand, isFirst: isFirst)
        if isFirst, isLiteral {
            pendingBinding = level.binds
        } else if let name = level.binds {
            bindUnknown([name])
        }
        level.binds = nil
        switch operand {
        case .text(let text) where isLiteral:
            notePart(text)
            noteTileTemplate(text)
            propose(text, after: before, isWhole: isWhole)
        case .name(let name) where isLoaded: proposeName(name, after: before)
        default: break
        }
    }

    /// Keeps a name whose value may be an address, or the end of one after a text.
    private mutating func proposeName(_ name: UInt64, after before: Value?) {
        var candidate = Candidate(text: "", name: name, head: head, strength: .loaded)
        switch before {
        case nil: break
        case .text(let beginning): candidate.beginning = beginning
        default: return
        }
        candidate.numbers = loops.numbers(of: name)
        pending = candidate
    }

    /// Notes an argument that is an address and a mere name.
    private mutating func noteUnknown(_ operand: Value, isFirst: Bool) {
        guard isFirst, case .name = operand, case .call(let function) = level.enclosure,
            function.loads?.contains(level.index) ?? false
        else { return }
        level.hasUnknownAddress = true
    }

    /// Notes that an address has two unknown parts, one after the other.
    private mutating func noteSum(_ one: Value, _ other: Value) {
        guard case .call(let function) = level.enclosure, function.loads?.contains(level.index) ?? false else { return }
        if case .text = one { return }
        if case .text = other { return }
        level.isUnknown = true
    }

    /// Parameters whose value only makes a cache miss.
    private static let freshness: Set<String> = [
        "v", "ver", "version", "t", "ts", "time", "timestamp", "_", "r", "rnd", "rand", "random", "cb", "cache",
        "nocache", "bust", "hash", "rev", "build",
    ]

    /// Returns true for a path with a query whose only parameter makes a cache miss, such as `list?v=`.
    private static func asksForFreshCopy(_ text: String) -> Bool {
        guard text.last == "=", let mark = text.firstIndex(of: "?"), text[..<mark].utf8.contains(where: \.isLetter),
            !ScriptText.hasSuffix(String(text[..<mark]))
        else {
            return false
        }
        return freshness.contains(text[text.index(after: mark)...].dropLast().lowercased())
    }

    /// Notes a literal part of what may be an address.
    private mutating func notePart(_ text: String) {
        guard case .call(let function) = level.enclosure, function.loads?.contains(level.index) ?? false else { return }
        if Self.asksForFreshCopy(text), !text.hasPrefix("http://"), !text.hasPrefix("https://") {
            level.isUnknown = true
            return
        }
        // A query that is composed, and another host's interface, are no files of the site.
        if text.utf8.contains(UInt8(ascii: "?")) || text.hasPrefix("http://") || text.hasPrefix("https://") {
            level.hasAddress = true
        }
        if text.utf8.contains(UInt8(ascii: "/")) { level.isComposed = true }
    }

    /// Notes the addresses of tiles, such as `tiles/{z}/{x}/{y}.png`, of which only a running script knows the numbers.
    private mutating func noteTileTemplate(_ text: String) {
        guard text.contains("{x}"), text.contains("{y}"), calls.count < Self.callLimit,
            !["https:", "http:", "//"].contains(where: text.hasPrefix), case .call = level.enclosure
        else { return }
        calls.append(level.start..<tokenizer.position)
    }

    /// Notes that the query of an address is computed: the file is the same, whatever follows.
    ///
    /// - Returns: False if the address has no query yet, or isn't a file's.
    private mutating func cutComputedQuery() -> Bool {
        guard let mark = pending?.text.firstIndex(of: "?"), let path = pending?.text[..<mark],
            ScriptText.hasSuffix(String(path))
        else { return false }
        pending?.text = String(path)
        return true
    }

    /// Keeps the part of a template before a substitution if it is a whole address, and only a query may follow.
    private mutating func proposeBeginning(_ text: String, after before: Value?, _ range: Range<Int>) {
        guard text.utf8.contains(UInt8(ascii: "?")) || ScriptText.hasSuffix(text) else { return }
        propose(text, after: before, isWhole: false)
        if cutComputedQuery() || endsInFile { settle(before: nil, range) }
        pending = nil
    }

    /// True if what is written so far names a data file, or any file that is loaded, so that only a query may follow.
    private var endsInFile: Bool {
        guard let pending, !pending.isSpecifier, ScriptText.hasSuffix(pending.text) else { return false }
        return pending.strength == .loaded || ScriptText.isData(String(pending.text.lastSegment))
    }

    /// True unless the literal behind a `+` continues a file's name, as in `"a.js" + "on"`.
    private func isQueryNext(_ range: Range<Int>) -> Bool {
        var index = range.upperBound
        while let byte = bytes.at(index), byte.isSpace { index += 1 }
        guard let quote = bytes.at(index), "\"'`".utf8.contains(quote) else { return true }
        return bytes.at(index + 1).map { "?#$".utf8.contains($0) } ?? false
    }

    private mutating func propose(_ text: String, after before: Value?, isWhole: Bool) {
        guard !isImported, !isExcluded else { return }
        var candidate = Candidate(text: text, name: nil, head: head, strength: isLoaded ? .loaded : .named)
        if before == nil, let folder = level.folder, isLoaded, !text.hasPrefix("/"), !text.contains("://") {
            candidate.text = folder + text
        }
        switch before {
        case nil: break
        case .text(let beginning): candidate.text = beginning + text
        case .name(let name): candidate.name = name
        case .ending(let beginning, let name):
            candidate.name = name
            candidate.beginning = beginning
        case .end(let beginning):
            candidate.text = beginning + text
            if candidate.head == .none { candidate.head = .unknown }
        case .unknown: if candidate.head == .none { candidate.head = .unknown }
        }
        // A script that exchanges a picture has the other one beside it.
        if level.isCut, candidate.head == .unknown, ScriptText.isBareImage(candidate.text) { candidate.head = .script }
        // `/a.js` after something unknown isn't at the root of the host.
        if candidate.head == .script, text.hasPrefix("/"), before != nil { return }
        if case .call(let function) = level.enclosure, function.takesSpecifier, candidate.head == .none {
            candidate.isSpecifier = candidate.name == nil
        }
        guard candidate.text.utf8.count <= 4 * ScriptText.longestTail else { return }
        candidate.hasAnySuffix = isWhole && candidate.head != .unknown && candidate.name == nil
        if let name = candidate.name {
            candidate.numbers = loops.numbers(of: name)
            candidate.isMediumOnceKnown = !isData && !isStatement
        }
        if ScriptText.isMediumInFolder(candidate.text) {
            if level.isSourceKey || source == .value { candidate.strength = .loaded }
            candidate.isMedium = before == nil && !isData && !isStatement
        }
        if case .call(let function) = level.enclosure, level.index >= function.namesFrom,
            !candidate.text.utf8.contains(UInt8(ascii: "/"))
        {
            return
        }
        pending = candidate
        if isAttributeName {
            level.isAddressAttribute = ["src", "href", "data", "xlink:href", "poster"].contains(text)
        }
    }

    private func joined(_ one: Value?, _ other: Value) -> Value {
        switch (one, other) {
        case (nil, _): return other
        case (.text("")?, _): return other
        case (.text(let first)?, .text(let second)):
            return first.utf8.count + second.utf8.count <= 4 * ScriptText.longestTail ? .text(first + second) : .unknown
        case (.text(let first)?, .name(let name)):
            return first.utf8.count <= 4 * ScriptText.longestTail ? .ending(first, name) : .unknown
        case (.end(let first)?, .text(let second)):
            return first.utf8.count + second.utf8.count <= 4 * ScriptText.longestTail ? .end(first + second) : .unknown
        case (.unknown?, .text(let second)), (.name?, .text(let second)), (.ending?, .text(let second)):
            return .end(second)
        default: return .unknown
        }
    }

    private static func endsInText(_ value: Value?) -> Bool {
        switch value {
        case .text, .end: true
        case .name, .ending, .unknown, nil: false
        }
    }

    // MARK: Context

    private var isImported: Bool {
        last == .name && (isWord(lastRange, "from") || isWord(lastRange, "import") || isWord(lastRange, "case"))
    }

    /// True if a text here isn't an address: it is compared, shown, or an argument of a function that tests texts.
    private var isExcluded: Bool {
        if case .call(let function) = level.enclosure, function.isTest { return true }
        if level.isShown || level.isShownAround || level.isModuleKey || level.isInModules { return true }
        guard !level.isAdding, case .punctuator(let byte)? = last else { return false }
        if byte == UInt8(ascii: "<") { return true }
        let before = lastRange.lowerBound > 0 ? bytes[lastRange.lowerBound - 1] : 0
        return byte == UInt8(ascii: "=") && "=!<>".utf8.contains(before)
            || byte == UInt8(ascii: ">") && before != UInt8(ascii: "=")
    }

    /// True if what is written here is loaded.
    private var isLoaded: Bool {
        if level.isAssigned { return true }
        switch level.enclosure {
        case .call(let function):
            if function.setsAttribute { return level.index == 1 && level.isAddressAttribute }
            if function.isConcatenation { return level.isLoadedAround }
            return function.loads?.contains(level.index) ?? (level.isLoadedAround && level.index <= 1)
        case .object: return level.isArgument && level.isAddressKey
        case .group: return level.isLoadedAround
        case .plain, .parameters, .substitution: return false
        }
    }

    /// True if the next text is a statement of its own, as `"use strict"`, so that it has no use.
    private var isStatement: Bool {
        guard case .plain = level.enclosure else { return false }
        return switch last {
        case nil, .string, .other: true
        case .punctuator(let byte): ";{})".utf8.contains(byte)
        case .name: false
        }
    }

    private var head: ScriptText.Head {
        if case .call(let function) = level.enclosure, function.isInScript { return .script }
        return .none
    }

    // MARK: Punctuators

    /// Reads an index, or a list without addresses, of which the index of a search has a hundred thousand.
    private mutating func plainList(_ place: Range<Int>) {
        if noteIndex() {
            takeItem()
        } else {
            let name = level.binds
            operand(.unknown, isLiteral: false)
            noteList(name, place)
        }
        callee = Callee()
    }

    /// Notes a list that ends here.
    private mutating func noteList(_ name: UInt64?, _ place: Range<Int>) {
        let name = name ?? ScriptLoops.unnamed(at: place.lowerBound)
        loops.noteList(name, place, bytes)
        lastList = (name, place.upperBound)
        // `for (const url of ["a.js", "b.js"])`
        var start = place.lowerBound
        while start > 0, bytes[start - 1].isSpace { start -= 1 }
        if let variable, bytes.hasPrefix("of", at: max(0, start - 2)) { loops.noteVariable(variable, of: name) }
        variable = nil
    }

    /// Takes the item that an index selected, at the index's end.
    private mutating func takeItem() {
        level.value = level.item ?? .unknown
        level.item = nil
        guard isLoaded else { return }
        switch level.value {
        case .name(let name)?: proposeName(name, after: nil)
        case .ending(let beginning, let name)?: proposeName(name, after: .text(beginning))
        case .text, .end, .unknown, nil: break
        }
    }

    /// Returns true if the bracket that begins here contains an index, and takes note of it.
    private mutating func noteIndex() -> Bool {
        guard isAfterOperand else { return false }
        let isOfName = last == .name && !lastNameIsMember(lastRange)
        switch level.value {
        case .name(let list)? where isOfName: level.item = .name(ScriptLoops.item(of: list))
        case .ending(let beginning, let list)? where isOfName:
            level.item = .ending(beginning, ScriptLoops.item(of: list))
        default: level.item = nil
        }
        level.value = .unknown
        if level.entryStart != nil { level.hasIndex = true }
        return true
    }

    private mutating func punctuator(_ byte: UInt8, _ range: Range<Int>) {
        switch byte {
        case UInt8(ascii: "("): open(parenthesis())
        case UInt8(ascii: "["):
            open(noteIndex() ? .plain : .group)
            level.start = range.lowerBound
        case UInt8(ascii: "{"): open(opensObject ? .object : .plain)
        case UInt8(ascii: ")"), UInt8(ascii: "]"): close(isBracket: byte == UInt8(ascii: "]"))
        case UInt8(ascii: "}"): closeBrace(range)
        case UInt8(ascii: "."): break
        case UInt8(ascii: "+") where range.count == 1 && bytes.at(range.upperBound) != UInt8(ascii: "="):
            level.isAdding = level.value != nil
        case UInt8(ascii: ","):
            if case .call(let function) = level.enclosure, function.isConcatenation {
                level.isAdding = level.value != nil
                level.index += 1
                break
            }
            endExpression()
            level.index += 1
            if level.index == 1 { level.secondArgument = range.upperBound }
            level.isAddressKey = false
            level.isSourceKey = false
            level.isModuleKey = false
        case UInt8(ascii: ";"): endExpression()
        case UInt8(ascii: ":"):
            if level.questions > 0 {
                level.questions -= 1
            } else if case .object = level.enclosure {
                level.isAddressKey = Self.addressKeys.contains(bytes, lastRange)
                level.isSourceKey = last == .name && Self.sourceKeys.contains(bytes, lastRange)
                level.isModuleKey = isModuleKey(lastRange)
                level.isShown = Self.shownNames.contains(bytes, lastRange)
            }
            level.value = nil
            level.isAdding = false
        case UInt8(ascii: "="): assignment(range)
        // Optional chaining, `a?.fetch("x")`.
        case UInt8(ascii: "?") where range.count == 1 && bytes.at(range.upperBound) == UInt8(ascii: "."):
            level.value = nil
            level.isAdding = false
            return
        default:
            if byte == UInt8(ascii: "?"), range.count == 1 { level.questions += 1 }
            level.value = nil
            level.isAdding = false
        }
        if byte != UInt8(ascii: "."), byte != UInt8(ascii: ")"), byte != UInt8(ascii: "]") {
            callee = Callee()
        }
    }

    private var isAfterOperand: Bool {
        switch last {
        case .name: !isWord(lastRange, "return") && !isWord(lastRange, "of") && !isWord(lastRange, "in")
        case .string, .other: true
        case .punctuator(let byte): byte == UInt8(ascii: ")") || byte == UInt8(ascii: "]")
        case nil: false
        }
    }

    private var opensObject: Bool {
        switch last {
        case .punctuator(let byte):
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: "["),
                UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: "|"):
                true
            default: false
            }
        case .name: isWord(lastRange, "return")
        // A page's data in JSON begins with a brace.
        case nil: true
        case .string, .other: false
        }
    }

    private mutating func parenthesis() -> Enclosure {
        guard let name = callee.name else {
            return callee.isDefinition ? .parameters : isAfterOperand ? .call(.other) : .group
        }
        if callee.isDefinition { return .parameters }
        return .call(called(name))
    }

    /// Returns what the function with the callee's name does; few of a script's many calls have a new name.
    private mutating func called(_ name: Range<Int>) -> Function {
        var key = hash(of: name)
        if let object = callee.object { key = key &* 0x100_0000_01B3 ^ hash(of: object) }
        if lastNameIsMember(name) { key = ~key }
        if let known = functions[key] { return known }
        let function = function(name)
        if functions.count < Self.considered { functions[key] = function }
        return function
    }

    private mutating func open(_ enclosure: Enclosure) {
        var inner = Level(enclosure)
        switch enclosure {
        case .call:
            inner.isArgument = true
            inner.start = callee.object?.lowerBound ?? callee.name?.lowerBound ?? lastRange.lowerBound
            inner.firstText = candidates.count
            inner.object = callee.object
            guard case .call(let function) = enclosure else { break }
            if function.isConcatenation {
                inner.value = .unknown
                inner.isAdding = true
            }
            // `fetch(withBase("x.bin"))`
            inner.isLoadedAround = isLoaded && (function.isConcatenation || function.isPlain)
            if function.loads != nil { inner.folder = loadersFolder }
            inner.list = iteratedList
        case .object:
            inner.isArgument = level.isArgument
            inner.isInModules = level.isModuleKey || level.isInModules
            if case .call(let function) = level.enclosure, function.registers { inner.isInModules = true }
        case .group:
            inner.isArgument = level.isArgument
            inner.isLoadedAround = isLoaded
            if level.isAdding { inner.groupStart = level.value }
            inner.folder = level.folder
            inner.isCut = level.isCut
            inner.isShownAround = level.isShown || level.isShownAround
        case .plain, .parameters, .substitution: break
        }
        enter(inner)
    }

    private mutating func close(isBracket: Bool) {
        guard !outer.isEmpty else { return }
        noteBase()
        let inner = level
        noteCall()
        leave()
        let isList = isBracket && bytes.at(inner.start) == UInt8(ascii: "[")
        let name = level.binds
        defer {
            if isList, case .group = inner.enclosure { noteList(name, inner.start..<tokenizer.position) }
        }
        switch inner.enclosure {
        // What precedes the group is in its value already.
        case .group where inner.groupStart != nil && level.isAdding:
            if let start = inner.groupStart, !Self.endsInText(inner.value) { noteSum(start, .unknown) }
            level.isAdding = false
            level.value = inner.index == 0 ? inner.value ?? .unknown : .unknown
        // `(0, t.fetch)("x")` calls the last name in the parentheses, so it is still the callee.
        case .group: operand(inner.index == 0 ? inner.value ?? .unknown : .unknown, isLiteral: false)
        case .parameters:
            bindUnknown(closedNames)
            iterate(closedNames.first)
        case .plain where isList:
            takeItem()
            callee = Callee()
        case .call, .plain, .object, .substitution:
            if case .call(let function) = inner.enclosure {
                if function.cuts { level.isCut = true }
                if function.setsFolder { noteFolder(inner) }
            }
            level.value = .unknown
            callee = Callee()
        }
    }

    /// The list through whose items the function runs that is called, as in `list.forEach(`; nil for none.
    private var iteratedList: UInt64? {
        guard let name = callee.name, lastNameIsMember(name), isWord(name, "forEach") || isWord(name, "map") else {
            return nil
        }
        if let object = callee.object { return hash(of: object) }
        guard let lastList else { return nil }
        var end = name.lowerBound - 1
        while end > lastList.end, bytes[end - 1].isSpace { end -= 1 }
        return end == lastList.end ? lastList.name : nil
    }

    /// Notes the first parameter of a function that runs through the items of a list.
    private mutating func iterate(_ parameter: UInt64?) {
        guard let list = level.list, level.index == 0 else { return }
        level.list = nil
        if let parameter { loops.noteVariable(parameter, of: list) }
    }

    /// The folder that the object of the function that is called was given; nil if it has none.
    private var loadersFolder: String? {
        if let object = callee.object { return folders[hash(of: object)] }
        return callee.name.map(lastNameIsMember) ?? false ? level.folder : nil
    }

    /// Notes the folder that a loader was given, for the next call of the chain and for those of the same object.
    private mutating func noteFolder(_ call: Level) {
        guard call.index == 0, case .text(let folder)? = call.value, !folder.isEmpty else { return }
        level.folder = folder
        if let object = call.object, folders.count < Self.considered { folders[hash(of: object)] = folder }
    }

    /// Notes that `new URL("../x.json", base)`, which ends here, is relative to a folder that only the running script knows.
    private mutating func noteBase() {
        guard case .call(let function) = level.enclosure, function.takesBase, let place = level.secondArgument else {
            return
        }
        let base = bytes.string(place..<min(tokenizer.position, place + Self.baseLimit))
        guard !Self.pageBases.contains(where: base.contains) else { return }
        for index in level.firstText..<max(level.firstText, candidates.count)
        where candidates[index].head == .none && candidates[index].text.hasPrefix("../") {
            candidates[index].head = .unknown
        }
    }

    /// The number of bytes of a second argument that may name the base.
    private static let baseLimit = 64
    /// The parts of expressions whose value is the address of the page, of its base, or of the script.
    private static let pageBases = ["location", "baseURI", "document.URL", "import.meta"]

    /// Notes the call that ends here if a known function loads an address that is composed of unknown parts.
    private mutating func noteCall() {
        guard case .call(let function) = level.enclosure, function.isKnown, !level.hasAddress else { return }
        guard level.isComposed || level.isUnknown else {
            if level.hasUnknownAddress, level.index >= function.leastIndex { loadsUnknown = true }
            return
        }
        guard calls.count < Self.callLimit else { return }
        let range = level.start..<tokenizer.position
        // No package answers a request that sends data, so it is of no use to say that its address is unknown.
        let code = bytes.string(range.lowerBound..<min(range.upperBound, range.lowerBound + Self.methodLimit))
        guard !Self.sendingMethods.contains(where: { code.contains("\"\($0)\"") || code.contains("'\($0)'") }) else {
            return
        }
        calls.append(range)
    }

    private static let sendingMethods = ["POST", "PUT", "PATCH", "DELETE"]
    /// The number of bytes of a call that may name its method.
    private static let methodLimit = 1 << 10

    private mutating func closeBrace(_ range: Range<Int>) {
        guard !outer.isEmpty else { return }
        let inner = level
        leave()
        if case .substitution = inner.enclosure { level.isCut = level.isCut || inner.isCut }
        guard case .substitution(let beginning) = inner.enclosure else {
            switch inner.enclosure {
            case .object: operand(.unknown, isLiteral: false)
            default: endExpression()
            }
            return
        }
        let value = joined(beginning, inner.value ?? .unknown)
        noteSum(beginning, inner.value ?? .unknown)
        noteTemplateText(range.lowerBound + 1..<max(range.lowerBound + 1, range.upperBound - 1))
        if range.count > 1, bytes[range.upperBound - 1] == UInt8(ascii: "`") {
            if !isKnownOnceRun(value) { noteTemplate(inner.start..<range.upperBound, inner, end: range) }
            level.value = value
            level.isAdding = true
            operand(
                .text(JavaScriptText.string(bytes, range.lowerBound + 1..<range.upperBound - 1) ?? ""),
                isLiteral: true
            )
        } else if range.count > 2 {
            let text = JavaScriptText.string(bytes, range.lowerBound + 1..<range.upperBound - 2) ?? ""
            notePart(text)
            proposeBeginning(text, after: value, range)
            var next = Level(.substitution(joined(value, .text(text))))
            next.start = inner.start
            next.isComposed = inner.isComposed
            next.isCut = inner.isCut
            enter(next)
        }
    }

    /// Returns true for a value that ends in an item of a list, or in the variable of a loop that counts.
    private func isKnownOnceRun(_ value: Value) -> Bool {
        switch value {
        case .name(let name), .ending(_, let name): loops.numbers(of: name) != nil || loops.isItem(name)
        case .text, .end, .unknown: false
        }
    }

    /// Returns true for the beginning of a path whose first folder has a name, such as `/query/`.
    private static func namesFolder(_ text: String) -> Bool {
        text.utf8.contains(UInt8(ascii: "/")) && text.utf8.count(where: \.isLetter) >= 3 && !text.contains("//")
            && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "/._-".utf8.contains($0) }
    }

    /// Notes a template whose last part is only a suffix, such as `/query/${hash}.json` or `./tiles/${z}/${x}.png`.
    ///
    /// Whatever the script does with it, it is the address of a file whose name only the running script knows.
    private mutating func noteTemplate(_ place: Range<Int>, _ inner: Level, end: Range<Int>) {
        let suffix = bytes.slice(end.lowerBound + 1..<end.upperBound - 1)
        guard inner.isComposed, calls.count < Self.callLimit, ScriptText.isFileSuffix(suffix) else { return }
        // The call around it is noted.
        if case .call(let function) = level.enclosure, function.isKnown || function.isTest { return }
        guard !level.isShown, !level.isShownAround else { return }
        calls.append(place)
    }

    private mutating func endExpression() {
        level.value = nil
        level.isAdding = false
        level.isCut = false
        level.binds = nil
        level.isAssigned = false
        level.isMarkup = false
        level.isShown = false
        if case .group = level.enclosure {} else { level.folder = nil }
        level.entryStart = nil
        level.hasIndex = false
    }

    private mutating func assignment(_ range: Range<Int>) {
        let before = range.lowerBound > 0 ? bytes[range.lowerBound - 1] : 0
        level.value = nil
        level.isAdding = false
        level.isCut = false
        level.isAssigned = false
        level.isMarkup = false
        level.entryStart = nil
        level.hasIndex = false
        switch bytes.at(range.upperBound) {
        case UInt8(ascii: "="): return
        case UInt8(ascii: ">"):
            // What precedes `=>` are parameters.
            let parameters = last == .name ? [hash(of: lastRange)] : closedNames
            bindUnknown(parameters)
            iterate(parameters.first)
            return
        default: break
        }
        guard last == .name, !"=!<>".utf8.contains(before) else {
            // `a += "x"` continues a text that is unknown here.
            if before == UInt8(ascii: "+") {
                level.value = .unknown
                level.isAdding = true
            }
            return
        }
        if lastNameIsMember(lastRange) {
            level.isAssigned = Self.addressMembers.contains(bytes, lastRange)
            level.isShown = Self.shownNames.contains(bytes, lastRange)
            level.isMarkup = isWord(lastRange, "innerHTML") || isWord(lastRange, "outerHTML")
            if isWord(lastRange, "src") { level.entryStart = callee.object?.lowerBound ?? lastRange.lowerBound }
        } else {
            level.binds = hash(of: lastRange)
        }
    }

    private static let addressMembers: WordSet = ["src", "href", "data", "workerSrc", "url"]

    // MARK: Bindings

    private mutating func bindUnknown(_ names: [UInt64]) {
        for name in names where bindings.count < Self.considered {
            bindings[name] = Binding(text: nil, count: 2)
            loops.forgetMeaning(of: name)
        }
    }

    private mutating func bind(_ name: UInt64, to text: String) {
        guard bindings.count < Self.considered else { return }
        bindings[name, default: Binding(text: nil, count: 0)].count += 1
        bindings[name]?.text = text
    }

    private func constant(_ name: UInt64) -> String? {
        guard let binding = bindings[name], binding.count == 1 else { return nil }
        return binding.text
    }

    private func hash(of range: Range<Int>) -> UInt64 { ScriptLoops.hash(bytes, range) }

    // MARK: Results

    /// Keeps or drops the text before a token.
    private mutating func settle(before token: JavaScriptTokenizer.Token?, _ range: Range<Int>) {
        guard pending != nil || pendingBinding != nil else { return }
        defer {
            pending = nil
            pendingBinding = nil
        }
        switch token {
        case .punctuator(let byte):
            switch byte {
            case UInt8(ascii: "+") where cutComputedQuery() || endsInFile && isQueryNext(range):
                dropBinding()
                pendingBinding = nil
            case UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "("), UInt8(ascii: "<"):
                return dropBinding()
            case UInt8(ascii: "="), UInt8(ascii: "!"):
                // A comparison; after a name, an assignment.
                return dropBinding()
            case UInt8(ascii: ":"):
                if level.questions == 0, case .object = level.enclosure { return dropBinding() }
            default: break
            }
        case .name where tokenizer.isName("in") || tokenizer.isName("instanceof"): return dropBinding()
        case .name, .string, .other, nil: break
        }
        if let pendingBinding, let pending, pending.name == nil, pending.head == .none {
            bind(pendingBinding, to: pending.text)
        }
        guard let pending else { return }
        if pending.isSpecifier {
            level.hasAddress = true
            return
        }
        let isAddress =
            ScriptText.of(pending.text, .loaded, pending.head, hasAnySuffix: pending.hasAnySuffix) != nil
            || TranslationNames.isIn(pending.text)
        if isAddress || pending.numbers != nil || pending.name.map(loops.isItem) ?? false { level.hasAddress = true }
        if isAddress || pending.name != nil { candidates.append(pending) }
    }

    /// Keeps the assignment of a table's entry unless the next token continues the expression.
    private mutating func settleEntry(before token: JavaScriptTokenizer.Token?) {
        defer { entryMember = nil }
        guard let member = entryMember, let start = level.entryStart, entries.count < Self.callLimit else { return }
        switch token {
        case .punctuator(let byte) where !";,)}]".utf8.contains(byte): return
        case .other: return
        case .punctuator, .name, .string, nil: entries.append((start..<member.upperBound, member))
        }
    }

    /// Returns true if the script has a member of a name, so that the table may be its own, or made of the page's elements.
    private func isDefined(_ member: Range<Int>) -> Bool {
        let name = Array(bytes.slice(member))
        var index = 0
        while true {
            index = bytes.find(name[0], from: index, to: bytes.count)
            guard index + name.count <= bytes.count else { return false }
            let end = index + name.count
            let before = index > 0 ? bytes[index - 1] : 0
            if !Self.isNamePart(before), bytes.slice(index..<end).elementsEqual(name), isDefinition(end) { return true }
            index += 1
        }
    }

    /// Returns true if a `:` or a `=` that assigns follows, after a quote or white space.
    private func isDefinition(_ end: Int) -> Bool {
        var index = end
        while let byte = bytes.at(index), index < end + 3, byte.isSpace || "\"'".utf8.contains(byte) { index += 1 }
        switch bytes.at(index) {
        case UInt8(ascii: ":"): return true
        case UInt8(ascii: "="): return bytes.at(index + 1) != UInt8(ascii: "=")
        default: return false
        }
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte > 0x7F
    }

    private mutating func dropBinding() { if let pendingBinding { bindUnknown([pendingBinding]) } }

    /// Returns the calls with their places.
    private func located() -> [UnreadCall] {
        var line = 1
        var start = 0
        return calls.map { call in
            while true {
                let end = bytes.find(0x0A, from: start, to: call.lowerBound)
                guard end < call.lowerBound else { break }
                line += 1
                start = end + 1
            }
            let end = min(call.upperBound, call.lowerBound + UnreadCall.codeLimit)
            let code = bytes.string(call.lowerBound..<end) + (end < call.upperBound ? "…" : "")
            return UnreadCall(line: line, column: call.lowerBound - start + 1, code: code)
        }
    }

    private func resolved() -> [ScriptText] {
        var texts: [ScriptText] = []
        var places: [String: Int] = [:]
        let items = loops.items(bytes, of: Set(candidates.compactMap(\.name)))
        var room = Self.valueLimit
        let isTranslated = candidates.contains { TranslationNames.isIn($0.text) }
        let translations = isTranslated ? TranslationNames(start) : nil
        for candidate in candidates {
            for found in found(candidate, items, translations, &room) {
                if let place = places[found.tail] {
                    texts[place].strength = min(texts[place].strength, found.strength)
                    if found.head == .none { texts[place].head = .none }
                } else if texts.count < Self.limit {
                    places[found.tail] = texts.count
                    texts.append(found)
                }
            }
        }
        return texts
    }

    /// Returns the addresses that a candidate stands for.
    ///
    /// - Parameters:
    ///   - candidate: The candidate.
    ///   - items: The texts that a name may stand for.
    ///   - translations: The names for addresses of translations; nil if there are none.
    ///   - room: The number of texts of loops that may still be considered.
    /// - Returns: The addresses.
    private func found(
        _ candidate: Candidate,
        _ items: [UInt64: [String]],
        _ translations: TranslationNames?,
        _ room: inout Int
    ) -> [ScriptText] {
        var candidate = candidate
        if let translations, TranslationNames.isIn(candidate.text) {
            return translations.addresses(candidate.text).flatMap { address in
                candidate.text = address
                return found(candidate, items, nil, &room)
            }
        }
        guard let name = candidate.name else {
            return candidate.found(candidate.text, candidate.head).map { [$0] } ?? []
        }
        let values = candidate.numbers?.map { String($0) } ?? items[name] ?? constant(name).map { [$0] }
        if let values {
            guard room > 0 else { return [] }
            room -= values.count - 1
            let (before, after) = (candidate.beginning, candidate.text)
            let isMedium = candidate.isMedium
            return values.compactMap { value in
                let text = before + value + after
                candidate.isMedium = isMedium || candidate.isMediumOnceKnown && ScriptText.isMediumInFolder(text)
                return candidate.found(text, candidate.head)
            }
        }
        guard !candidate.text.isEmpty else { return [] }
        let head = candidate.head == .none ? .unknown : candidate.head
        return candidate.found(candidate.text, head).map { [$0] } ?? []
    }
}

extension ScriptTextReader {
    // MARK: Names of functions

    private func isWord(_ range: Range<Int>, _ word: StaticString) -> Bool {
        guard range.count == word.utf8CodeUnitCount else { return false }
        for offset in 0..<range.count where bytes[range.lowerBound + offset] != word.utf8Start[offset] { return false }
        return true
    }

    /// The keys of members, quoted or not, whose values are addresses.
    private static let addressKeys: WordSet = ["url", "src", "file", "path", "workerSrc", "index", "templateUrl"]

    /// The keys of members, not quoted, whose values are addresses if they are those of images or media in a folder.
    private static let sourceKeys: WordSet = [
        "src", "image", "img", "icon", "logo", "thumbnail", "thumb", "poster", "cover", "avatar", "photo", "picture",
        "background", "imageUrl", "imageSrc", "imgUrl", "imgSrc", "iconUrl",
    ]

    /// Members, in objects and of elements, whose values a reader sees, or by which a file is saved.
    private static let shownNames: WordSet = [
        "children", "title", "label", "placeholder", "description", "message", "text", "alt", "tooltip", "download",
        "textContent", "innerText",
    ]

    /// Returns true for a key such as `"./worker"`, which names a module relative to its package.
    private func isModuleKey(_ range: Range<Int>) -> Bool {
        guard last == .string, !range.isEmpty, bytes[range.lowerBound] == UInt8(ascii: ".") else { return false }
        return range.count == 1 || bytes[range.lowerBound + 1] == UInt8(ascii: "/")
    }

    /// Returns what a function does with its arguments, by its name and its object's.
    private func function(_ name: Range<Int>) -> Function {
        guard name.count <= 64 else { return .other }
        let text = bytes.string(name)
        let object = callee.object.flatMap { $0.count <= 64 ? bytes.string($0) : nil }
        let isMember = lastNameIsMember(name)
        if Self.tests.contains(text) { return Function(isTest: true) }
        if isMember, Self.markupMethods.contains(text), object != "d3", object != "load" {
            return Function(takesMarkup: true)
        }
        switch text {
        case "fetch", "EventSource", "Worker", "SharedWorker": return Function(loads: 0...0, isKnown: true)
        case "$fetch", "ofetch": return Function(loads: 0...0, isKnown: true)
        case "Request", "Audio": return Function(loads: 0...0)
        case "URL": return Function(loads: 0...0, takesBase: true)
        case "slice", "substring", "substr": if isMember { return Function(cuts: true) }
        case "concat" where isMember: return Function(isConcatenation: true)
        case "join" where isMember: return Function(namesFrom: 2)
        case "for" where isMember: return Function(isTest: true)
        case "registerFile": return Function(isTest: true, registers: true)
        case "importScripts": return Function(loads: 0...15, isKnown: true, isInScript: true)
        // SystemJS.
        case "import" where object == "System": return Function(loads: 0...0)
        case "addModule" where isMember: return Function(loads: 0...0)
        case "import":
            guard isMember else { return Function(loads: 0...0, isKnown: true, takesSpecifier: true) }
            // The context of a module of SystemJS.
            return bytes.hasPrefix("system.register(", at: 0) ? Function(loads: 0...0, isInScript: true) : .other
        case "open" where isMember: return Function(loads: 1...1, isKnown: true, leastIndex: 2)
        // The loaders of three.js, `loader.setPath("models/").load("x.glb")`.
        case "setPath" where isMember: return Function(setsFolder: true)
        case "setAttribute": return Function(setsAttribute: true)
        // jQuery and D3, `image.attr("src", "x.png")`.
        case "attr" where isMember: return Function(setsAttribute: true)
        case "resolve" where object == "meta": return Function(isInScript: true)
        case "$", "jQuery", "unescape": return Function(takesMarkup: !isMember)
        case "register" where object == "serviceWorker": return Function(loads: 0...0)
        case "get", "getJSON", "getScript", "load", "ajax", "request":
            if ["$", "jQuery", "axios", "ky", "superagent"].contains(object ?? "") {
                return Function(loads: 0...0, isKnown: true)
            }
        case "axios", "ky": return isMember ? .other : Function(loads: 0...0)
        case "json", "csv", "tsv", "dsv", "text", "xml", "html", "svg", "image", "blob", "buffer":
            if object == "d3" { return Function(loads: 0...0, isKnown: true) }
            return object == "load" ? Function(loads: 0...2) : .other
        // The loader of Phaser, `this.load.atlas("name", "picture.png", "frames.json")`.
        case "audio", "spritesheet", "atlas", "atlasXML", "multiatlas", "bitmapFont", "tilemapTiledJSON", "tilemapCSV",
            "video", "binary", "aseprite", "audioSprite", "animation":
            return object == "load" ? Function(loads: 0...2) : .other
        default: break
        }
        return isLoader(name) ? Function(loads: 0...1) : .other
    }

    private func lastNameIsMember(_ name: Range<Int>) -> Bool {
        name.lowerBound > 0 && bytes[name.lowerBound - 1] == UInt8(ascii: ".")
    }

    /// Methods whose arguments become part of a page: of documents, of elements, and of jQuery's collections.
    private static let markupMethods: Set<String> = [
        "write", "writeln", "insertAdjacentHTML", "append", "prepend", "html", "after", "before",
    ]

    /// Functions whose arguments are compared with a text, or are the name of a module of a bundle, or of a registered file.
    private static let tests: Set<String> = [
        "includes", "startsWith", "endsWith", "indexOf", "lastIndexOf", "match", "test", "split", "replace",
        "replaceAll",
        "search", "has", "require", "define", "log", "warn", "error", "debug", "Error", "TypeError", "getElementById",
        "querySelector", "querySelectorAll", "addEventListener", "RegExp", "Symbol", "createElement", "createTextNode",
        "createVNode", "createTextVNode", "createElementVNode", "jsx", "jsxs", "jsxDEV", "importCssString",
        "FileAttachment",
    ]

    /// Returns true for names such as `loadScript`, `fetchJSON`, `httpGetPromise` and `getJSON`.
    private func isLoader(_ name: Range<Int>) -> Bool {
        Self.loaders.contains { hasWord($0, at: name.lowerBound, in: name) }
            || name.contains { index in Self.readers.contains { hasWord($0, at: index, in: name) } }
    }

    private func hasWord(_ word: StaticString, at index: Int, in name: Range<Int>) -> Bool {
        index + word.utf8CodeUnitCount <= name.upperBound && bytes.hasPrefix(word, at: index)
    }

    /// The beginnings of such names, in lower case.
    private static let loaders: [StaticString] = [
        "load", "fetch", "import", "require", "download", "request", "preload", "prefetch",
    ]

    /// The parts of such names, in lower case.
    private static let readers: [StaticString] = [
        "getjson", "getscript", "httpget", "xhr", "ajax", "readjson", "gettext",
    ]
}

/// A few words, with a quick check that a name is none of them.
struct WordSet: ExpressibleByArrayLiteral {
    private let words: [StaticString]
    /// A bit for each first byte and length.
    private var marks: UInt64 = 0

    init(arrayLiteral words: StaticString...) {
        self.words = words
        for word in words { marks |= Self.mark(word.utf8Start[0], word.utf8CodeUnitCount) }
    }

    private static func mark(_ first: UInt8, _ count: Int) -> UInt64 { 1 &<< UInt64((Int(first) &* 11 &+ count) & 63) }

    func contains(_ bytes: ScanBuffer, _ range: Range<Int>) -> Bool {
        guard !range.isEmpty, marks & Self.mark(bytes[range.lowerBound], range.count) != 0 else { return false }
        let name = bytes.slice(range)
        return words.contains { word in
            UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount).elementsEqual(name)
        }
    }
}
