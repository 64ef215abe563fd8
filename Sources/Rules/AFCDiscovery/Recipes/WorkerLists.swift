/// The lists of files that a service worker written by hand stores.
///
/// `cache.addAll(list)` stores every file of a list, or none if one is missing. The list is an array, or a name that the
/// script binds once, also through `concat`, `map`, `filter`, spreads and `Object.keys`. In an array, the first string
/// of each element counts. Flutter's worker names all files of the application in the object `RESOURCES`.
struct WorkerLists {
    /// The largest number of files of all lists.
    private static let maxFiles = 10_000
    /// The largest number of files of which it isn't certain that they exist.
    static let maxGuesses = 1_024
    /// The longest address that is read, in bytes.
    private static let maxAddress = 2_048
    private static let maxCalls = 64
    private static let maxNames = 65_536
    /// The largest number of names through which a list is followed.
    private static let maxDepth = 8

    /// The files in the order of the calls.
    private(set) var files: [PrecacheList.File] = []
    private let text: ScanBuffer
    /// The place of the value of each name, or nil for a name that is bound more than once.
    private var values: [String: Int?] = [:]
    /// The number of bytes that may still be read, since lists may contain one another.
    private var rest: Int

    /// Reads the lists of a script.
    ///
    /// - Parameters:
    ///   - text: The script.
    ///   - hasResources: Whether to read the object `RESOURCES`, too.
    init(_ text: ScanBuffer, hasResources: Bool) {
        self.text = text
        rest = 2 * text.count
        let isWorker = text.position(of: "caches") != nil && text.position(of: "addAll(") != nil
        guard isWorker || hasResources else { return }
        let calls = readNames()
        if hasResources, let place = values["RESOURCES"] ?? nil { readValue(at: place, keys: true) }
        for call in calls { readValue(at: call, keys: false) }
    }

    // MARK: Names

    /// Notes the value of each name, and returns the places of the arguments of `addAll`.
    private mutating func readNames() -> [Int] {
        var calls: [Int] = []
        var tokenizer = JavaScriptTokenizer(text, 0..<text.count, hasHTMLComments: true)
        var name: Range<Int>?
        var isCall = false
        while let token = tokenizer.next(all: true) {
            switch token {
            case .name:
                isCall = tokenizer.isMember && tokenizer.isName("addAll")
                name = tokenizer.isMember ? nil : tokenizer.range
                continue
            case .punctuator(UInt8(ascii: "(")) where isCall && calls.count < Self.maxCalls:
                calls.append(tokenizer.position)
            case .punctuator(UInt8(ascii: "=")):
                let next = text.at(tokenizer.position)
                if let name, next != UInt8(ascii: "="), next != UInt8(ascii: ">"), name.count <= 128 {
                    bind(text.string(name), tokenizer.position)
                }
            default: break
            }
            name = nil
            isCall = false
        }
        return calls
    }

    private mutating func bind(_ name: String, _ place: Int) {
        if let known = values[name] {
            if known != nil { values[name] = .some(nil) }
        } else if values.count < Self.maxNames {
            values[name] = place
        }
    }

    // MARK: Values

    /// A bracket that is open, by what it holds.
    private enum Frame {
        /// An array of files.
        case array
        /// Arguments that are lists, such as those of `concat`.
        case lists
        /// Arguments whose keys are files: those of `Object.keys`.
        case keyed
        /// Arguments of which the first is a file: those of `new Request`.
        case request
        /// An object whose keys are files.
        case keys
        case other

        /// True if each part between commas may be a file or list.
        var repeats: Bool { self == .array || self == .lists || self == .keyed || self == .keys }
    }

    /// Reads an expression: an array, a string, a name, or calls on one of these.
    ///
    /// - Parameters:
    ///   - place: The place of the expression.
    ///   - keys: Whether the keys of an object are files.
    ///   - level: The number of names that led here.
    private mutating func readValue(at place: Int, keys: Bool, level: Int = 0) {
        var tokenizer = JavaScriptTokenizer(text, place..<text.count, hasHTMLComments: true)
        var frames: [Frame] = []
        /// True at the start of a part, until its first string or name.
        var isOpen = true
        var name: Range<Int>?
        var before = place
        while files.count < Self.maxFiles, let token = tokenizer.next(all: true) {
            rest -= tokenizer.position - before
            before = tokenizer.position
            guard rest > 0 else { return }
            switch token {
            case .punctuator(UInt8(ascii: "[")):
                guard isOpen || !frames.isEmpty else { return }
                frames.append(isOpen && frames.last != .keyed ? .array : .other)
                isOpen = frames.last == .array
            case .punctuator(UInt8(ascii: "{")):
                guard isOpen && keys || !frames.isEmpty else { return }
                frames.append(isOpen && (frames.last.map { $0 == .keyed } ?? keys) ? .keys : .other)
                isOpen = frames.last == .keys
            case .punctuator(UInt8(ascii: "(")):
                frames.append(frame(after: name, isOpen: isOpen || frames.isEmpty))
                isOpen = frames.last != .other
            case .punctuator(UInt8(ascii: "]")), .punctuator(UInt8(ascii: "}")), .punctuator(UInt8(ascii: ")")):
                guard frames.popLast() != nil else { return }
                isOpen = false
            case .punctuator(UInt8(ascii: ",")):
                guard let frame = frames.last else { return }
                isOpen = frame.repeats
            case .punctuator(UInt8(ascii: ".")): break
            case .string:
                guard isOpen || !frames.isEmpty else { return }
                if isOpen { add(tokenizer.range, isKey: frames.last == .keys) }
                isOpen = false
            case .name:
                name = tokenizer.range
                if isOpen {
                    let isWord = tokenizer.isName("new") || tokenizer.isName("Object") || tokenizer.isName("Array")
                    if !isWord, !Self.isMaker(tokenizer) {
                        follow(tokenizer.range, keys: frames.last.map { $0 == .keyed } ?? keys, level)
                        isOpen = false
                    }
                } else if frames.isEmpty, !tokenizer.isMember {
                    // Another statement begins.
                    return
                }
                continue
            default:
                guard !frames.isEmpty else { return }
                isOpen = false
            }
            name = nil
        }
    }

    private static func isMaker(_ tokenizer: JavaScriptTokenizer) -> Bool {
        tokenizer.isMember || tokenizer.isName("Request") || tokenizer.isName("URL") || tokenizer.isName("Set")
    }

    /// Returns what the parentheses after a name hold.
    private func frame(after name: Range<Int>?, isOpen: Bool) -> Frame {
        guard isOpen else { return .other }
        guard let name else { return .lists }
        return switch text.string(name.prefix(16)) {
        case "concat", "Set", "from", "of": .lists
        case "keys": .keyed
        case "Request", "URL": .request
        default: .other
        }
    }

    /// Reads the value of a name once.
    private mutating func follow(_ name: Range<Int>, keys: Bool, _ level: Int) {
        guard level < Self.maxDepth, name.count <= 128, let place = values[text.string(name)] ?? nil else { return }
        values[text.string(name)] = .some(nil)
        readValue(at: place, keys: keys, level: level + 1)
    }

    /// Adds the file of a string that is a whole part.
    private mutating func add(_ literal: Range<Int>, isKey: Bool) {
        var next = literal.upperBound + 1
        while let byte = text.at(next), byte.isSpace { next += 1 }
        guard let after = text.at(next), isKey == (after == UInt8(ascii: ":")), after != UInt8(ascii: "+"),
            literal.count <= Self.maxAddress, !literal.isEmpty, let address = JavaScriptText.string(text, literal),
            address.utf8.allSatisfy({ $0 > (isKey ? 0x1F : 0x20) && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "{") }
            )
        else { return }
        files.append(PrecacheList.File(address: address, offset: literal.lowerBound))
    }
}
