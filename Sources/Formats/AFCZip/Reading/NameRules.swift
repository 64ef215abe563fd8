/// The rules for members' names: nothing that leaves the folder it is extracted to, nothing that two systems see differently.
///
/// A name is UTF-8 whether or not the flag says so: ASCII is, and what other encodings write is hardly ever valid UTF-8.
struct NameRules {
    private var table: FoldedNameTable
    /// The folder of the member before, folded; members come folder by folder, as a rule.
    private var lastParent: [UInt8] = []
    /// How many folders there are because members lie in them.
    private(set) var folders = 0

    init(capacity: Int) { table = FoldedNameTable(capacity: capacity) }

    /// Who has a name, or one that some systems take for the same.
    enum Claim {
        case isNew
        /// By the member of this number: the same name, or one that differs by case or Unicode form.
        case isTaken(by: Int)
        /// File and folder.
        case isBoth
    }

    /// Checks a name by itself, and remembers the folders that it lies in.
    ///
    /// - Parameter bytes: The name.
    /// - Returns: What ``claim(_:isFolder:index:)`` knows the name by.
    /// - Throws: What is wrong with it.
    mutating func accept(_ bytes: borrowing Span<UInt8>) throws(Refusal) -> UInt64 {
        let isPlain = bytes.withUnsafeBufferPointer(Self.isPlain)
        if isPlain { return bytes.withUnsafeBufferPointer { FoldedName.with(ascii: $0) { remember($0) } } }
        let text = bytes.withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) }
        guard let name = text else { throw .nameNotUTF8 }
        try Self.check(name)
        return FoldedName.with(name) { remember($0) }
    }

    /// Claims a name for a member, once the folders of all members are known.
    ///
    /// Apart from ``accept(_:)``, since the memory that it needs is seldom near: in a row, several are waited for at once.
    ///
    /// - Parameters:
    ///   - hash: What the name is known by.
    ///   - isFolder: Whether the member is a folder.
    ///   - index: The member's number.
    /// - Returns: Whether the name is new.
    mutating func claim(_ hash: UInt64, isFolder: Bool, index: Int) -> Claim {
        switch table.update(hash, to: isFolder ? .folder(index) : .file(index)) {
        case nil: .isNew
        case .parent where isFolder: .isNew
        case .file(let other) where !isFolder, .folder(let other) where isFolder: .isTaken(by: other)
        case .file, .folder, .parent: .isBoth
        }
    }

    /// The number of the member of a name, or of one that differs from it by case or Unicode form only.
    func index(of name: String) -> Int? {
        switch FoldedName.with(name, { table.use(of: $0.hash) }) {
        case .file(let index), .folder(let index): index
        case .parent, nil: nil
        }
    }

    // MARK: One name

    /// Whether a name is beyond doubt: printable ASCII and proper parts; nearly all are, and it takes one look.
    private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
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

    private static func check(_ name: String) throws(Refusal) {
        let bytes = Array(name.utf8)
        guard !bytes.isEmpty else { throw .nameEmpty }
        guard bytes.count <= 1024 else { throw .nameTooLong }
        if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            throw .nameControl
        }
        if bytes.contains(UInt8(ascii: "\\")) { throw .nameBackslash }
        if bytes.first == UInt8(ascii: "/") { throw .nameAbsolute }
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        if bytes.count >= 2, bytes[1] == UInt8(ascii: ":"), letters.contains(bytes[0] | 0x20) {
            throw .nameDrive
        }
        var parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        if bytes.last == UInt8(ascii: "/") { parts.removeLast() }
        for part in parts {
            if part.isEmpty { throw .nameEmptyPart }
            if part.elementsEqual(".".utf8) { throw .nameDot }
            if part.elementsEqual("..".utf8) { throw .nameParent }
            if part.count > 255 { throw .namePartTooLong }
        }
    }

    // MARK: Names together

    private mutating func remember(_ name: FoldedName) -> UInt64 {
        let hash = name.hash
        guard var parent = name.parent, !isLast(parent) else { return hash }
        lastParent = Array(parent.key)
        while true {
            let parentHash = parent.hash
            guard table.use(of: parentHash) == nil else { return hash }
            _ = table.update(parentHash, to: .parent)
            folders += 1
            guard let above = parent.parent else { return hash }
            parent = above
        }
    }

    private func isLast(_ parent: FoldedName) -> Bool {
        guard parent.key.count == lastParent.count else { return false }
        return lastParent.withUnsafeBufferPointer { last in
            for index in last.indices where last[index] != parent.key[index] { return false }
            return true
        }
    }
}
