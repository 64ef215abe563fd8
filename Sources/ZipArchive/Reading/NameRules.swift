/// The rules for members' names: nothing that leaves the folder it is extracted to, nothing that two systems see differently.
///
/// A name is UTF-8 whether or not the flag says so: ASCII is, and what other encodings write is hardly ever valid UTF-8.
struct NameRules {
    /// What a folded name stands for.
    private enum Use {
        case file(Int)
        case folder(Int)
        /// A folder that is there because a member lies below it.
        case parent
    }

    private var uses: [String: Use] = [:]
    private var lastParent = ""

    init(capacity: Int) { uses.reserveCapacity(capacity) }

    /// Checks a name and remembers it under its number.
    ///
    /// - Parameters:
    ///   - bytes: The name.
    ///   - index: Its number.
    ///   - names: The names that were accepted before, each at its number.
    /// - Returns: The name as text.
    /// - Throws: ``ZipError`` with the rule that refuses it.
    mutating func accept(
        _ bytes: borrowing Span<UInt8>,
        index: Int,
        among names: some RandomAccessCollection<String>
    ) throws(ZipError) -> String {
        let text = bytes.withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) }
        guard let name = text else {
            throw .refused(.nameNotUTF8, bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
        }
        if !Self.isPlain(bytes) { try Self.check(name) }
        try claim(name, index: index, among: names)
        return name
    }

    /// The number of the member of a name, or of one that differs from it by case or Unicode form only.
    func index(of name: String) -> Int? {
        switch uses[Self.fold(name).key] {
        case .file(let index), .folder(let index): index
        case .parent, nil: nil
        }
    }

    // MARK: One name

    /// Whether a name is beyond doubt: printable ASCII and proper parts; nearly all are, and it takes one look.
    private static func isPlain(_ bytes: borrowing Span<UInt8>) -> Bool {
        guard bytes.count <= 1024, bytes.count < 2 || bytes[1] != UInt8(ascii: ":") else { return false }
        var partStart = 0
        var hasOnlyDots = true
        for index in bytes.indices {
            let byte = bytes[index]
            guard byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\\") else { return false }
            if byte == UInt8(ascii: "/") {
                guard !hasOnlyDots, index - partStart <= 255 else { return false }
                partStart = index + 1
                hasOnlyDots = true
            } else if byte != UInt8(ascii: ".") {
                hasOnlyDots = false
            }
        }
        // A last part without bytes follows the slash of a folder.
        guard partStart < bytes.count else { return partStart > 0 }
        return !hasOnlyDots && bytes.count - partStart <= 255
    }

    private static func check(_ name: String) throws(ZipError) {
        let bytes = Array(name.utf8)
        guard !bytes.isEmpty else { throw .refused(.nameEmpty) }
        guard bytes.count <= 1024 else { throw .refused(.nameTooLong, name) }
        if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            throw .refused(.nameControl, name)
        }
        if bytes.contains(UInt8(ascii: "\\")) { throw .refused(.nameBackslash, name) }
        if bytes.first == UInt8(ascii: "/") { throw .refused(.nameAbsolute, name) }
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        if bytes.count >= 2, bytes[1] == UInt8(ascii: ":"), letters.contains(bytes[0] | 0x20) {
            throw .refused(.nameDrive, name)
        }
        var parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        if bytes.last == UInt8(ascii: "/") { parts.removeLast() }
        for part in parts {
            if part.isEmpty { throw .refused(.nameEmptyPart, name) }
            if part.elementsEqual(".".utf8) { throw .refused(.nameDot, name) }
            if part.elementsEqual("..".utf8) { throw .refused(.nameParent, name) }
            if part.count > 255 { throw .refused(.namePartTooLong, name) }
        }
    }

    // MARK: Names together

    /// A name as a system without case sees it; strings compare by canonical equivalence, so keys see through normal forms.
    private static func fold(_ name: String) -> (key: String, isFolder: Bool) {
        let isFolder = name.utf8.last == UInt8(ascii: "/")
        let bare = isFolder ? String(name.utf8.dropLast()) ?? name : name
        let isFolded = bare.utf8.allSatisfy { $0 < 0x80 && ($0 < UInt8(ascii: "A") || $0 > UInt8(ascii: "Z")) }
        return (isFolded ? bare : foldCase(bare), isFolder)
    }

    /// Upper case first, as some systems compare, so that `ſ` meets `s` and `ς` meets `σ`; and without the characters that
    /// some systems overlook in names.
    private static func foldCase(_ name: String) -> String {
        let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
        guard !isASCII else { return name.lowercased() }
        var seen = String.UnicodeScalarView()
        seen.append(contentsOf: name.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint })
        return String(seen).uppercased().lowercased()
    }

    private mutating func claim(
        _ name: String,
        index: Int,
        among names: some RandomAccessCollection<String>
    ) throws(ZipError) {
        let (key, isFolder) = Self.fold(name)
        switch uses.updateValue(isFolder ? .folder(index) : .file(index), forKey: key) {
        case nil: break
        case .parent where isFolder: break
        case .file(let other) where !isFolder, .folder(let other) where isFolder:
            let isSame = names[names.index(names.startIndex, offsetBy: other)].utf8.elementsEqual(name.utf8)
            throw .refused(isSame ? .duplicate : .collision, name)
        case .file, .folder, .parent: throw .refused(.fileAndFolder, name)
        }
        guard let slash = key.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
        // Members come folder by folder, as a rule.
        guard !key.utf8[..<slash].elementsEqual(lastParent.utf8) else { return }
        var rest = key[..<slash]
        lastParent = String(rest)
        while true {
            switch uses[String(rest)] {
            case .parent, .folder: return
            case .file: throw .refused(.fileAndFolder, name)
            case nil: uses[String(rest)] = .parent
            }
            guard let slash = rest.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
            rest = rest[..<slash]
        }
    }
}
