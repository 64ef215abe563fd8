/// The rules for members' names.
///
/// They refuse names that leave the target folder and names that two systems understand differently.
///
/// Names are read as UTF-8 whether or not the flag is set: ASCII is UTF-8, and text in other encodings is hardly ever
/// valid UTF-8.
struct NameRules {
    private var table: FoldedNameTable
    /// The folded folder of the previous member; members usually come folder by folder.
    private var lastParent: [UInt8] = []
    /// The number of folders that exist because members are in them.
    private(set) var folders = 0

    init(capacity: Int) { table = FoldedNameTable(capacity: capacity) }

    /// The result of claiming a name.
    enum Claim {
        case isNew
        /// Another member, by its number, has the same name or one that differs only by case or Unicode form.
        case isTaken(by: Int)
        /// The name belongs to both a file and a folder.
        case isBoth
    }

    /// Checks a single name, and remembers the folders that contain it.
    ///
    /// - Parameter bytes: The name.
    /// - Returns: The hash for ``claim(_:isFolder:index:)``.
    /// - Throws: The reason why the name is refused.
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
    /// It is separate from ``accept(_:)`` because its memory accesses often miss the processor's cache: in a row,
    /// several overlap.
    ///
    /// - Parameters:
    ///   - hash: The hash from ``accept(_:)``.
    ///   - isFolder: Whether the member is a folder.
    ///   - index: The member's number.
    /// - Returns: The result of the claim.
    mutating func claim(_ hash: UInt64, isFolder: Bool, index: Int) -> Claim {
        switch table.update(hash, to: isFolder ? .folder(index) : .file(index)) {
        case nil: .isNew
        case .parent where isFolder: .isNew
        case .file(let other) where !isFolder, .folder(let other) where isFolder: .isTaken(by: other)
        case .file, .folder, .parent: .isBoth
        }
    }

    /// Returns the number of the member with a name, or with one that differs from it only by case or Unicode form.
    func index(of name: String) -> Int? {
        switch FoldedName.with(name, { table.use(of: $0.hash) }) {
        case .file(let index), .folder(let index): index
        case .parent, nil: nil
        }
    }

    // MARK: A single name

    /// Returns true for a printable ASCII name with valid parts.
    ///
    /// Nearly all names are plain, and one pass decides it.
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
        // An empty last part follows the slash of a folder.
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

    // MARK: All names

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
