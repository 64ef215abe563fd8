internal import AFCText

/// The names by which afcache recognizes what it made in a cache's folder.
///
/// The rule, stated in docs/cache.md: what doesn't bear such a name, or isn't noted for removal, is never removed or
/// replaced. Each name has 64 random bits and is given by a call that fails where the name is taken.
enum OwnName {
    /// Tells whether a name is one that may lie directly in a cache's folder.
    static func isInRoot(_ name: String) -> Bool {
        inRoot.contains(name) || isRandom(name.split(separator: ".").first.map(String.init) ?? "", damagedPrefix)
    }

    private static let inRoot: Set<String> = {
        let databases = ["index.sqlite", "received.sqlite"].flatMap { [$0, $0 + "-wal", $0 + "-shm"] }
        return Set(
            databases + ["catalogue.json", "reserve", "changes", "writer.lock", "packages", "staging", "downloads"]
                + ["received.changes", "received.changes.lock", "received.lock", "received"]
        )
    }()

    private static let generationPrefix = "gen-"
    private static let temporaryPrefix = "tmp-"
    private static let noteSuffix = ".note"
    private static let damagedPrefix = "damaged-"

    /// A new name for a generation, in `staging` and then in `packages`.
    static func generation() -> String { generationPrefix + digits() }

    /// A new name in `staging` for something that no longer exists when the change is done.
    static func temporary() -> String { temporaryPrefix + digits() }

    /// A new name for a catalogue that is put aside, since it is damaged.
    static func damaged() -> String { damagedPrefix + digits() + ".sqlite" }

    /// Tells whether a name is that of a catalogue that was put aside.
    static func isDamaged(_ name: String) -> Bool { !inRoot.contains(name) && isInRoot(name) }

    /// The name of the file in `staging` that says: remove this generation unless the catalogue knows it.
    static func note(for generation: String) -> String { generation + noteSuffix }

    /// The generation that a note is for, or nil where the name is no note's.
    static func generation(notedBy name: String) -> String? {
        guard name.hasSuffix(noteSuffix) else { return nil }
        let generation = String(name.dropLast(noteSuffix.count))
        return isRandom(generation, generationPrefix) ? generation : nil
    }

    /// Tells whether something in `staging` was left by one of afcache's writers: only they give such names.
    static func isTransient(_ name: String) -> Bool {
        isRandom(name, generationPrefix) || isRandom(name, temporaryPrefix) || generation(notedBy: name) != nil
    }

    /// Tells whether a name, as the catalogue has it, may be a generation's: it is a plain name, and leads nowhere.
    static func mayBeGeneration(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "-")
            }
    }

    /// Tells whether a name is that of a received body: 16 hexadecimal digits, in the folder of the first two.
    static func isReceivedBody(_ name: String, in folder: String) -> Bool {
        isHexadecimal(name, 16) && isReceivedFolder(folder) && name.hasPrefix(folder)
    }

    /// Tells whether a name is that of a folder of received bodies.
    static func isReceivedFolder(_ name: String) -> Bool { isHexadecimal(name, 2) }

    private static func isRandom(_ name: String, _ prefix: String) -> Bool {
        name.hasPrefix(prefix) && isHexadecimal(name.dropFirst(prefix.count), 16)
    }

    private static func isHexadecimal(_ name: some StringProtocol, _ count: Int) -> Bool {
        name.utf8.count == count
            && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func digits() -> String { digits(UInt64.random(in: .min ... .max)) }

    /// A number as 16 hexadecimal digits.
    static func digits(_ number: UInt64) -> String {
        Hexadecimal.text(withUnsafeBytes(of: number.bigEndian) { Array($0) })
    }
}
