internal import AFCText

/// The names by which afcache recognizes its own files in a cache's folder.
///
/// The rule, stated in docs/developers/cache-format.md: a file without such a name that isn't recorded for removal either is
/// never removed or replaced. Each name has 64 random bits and is given by a call that fails if the name is taken.
enum OwnName {
    /// Returns true if a name may occur directly in a cache's folder.
    static func isInRoot(_ name: String) -> Bool {
        inRoot.contains(name) || isDamaged(name)
    }

    private static let inRoot: Set<String> = {
        let catalogue = [CacheLayout.catalogueName, CacheLayout.copyName, CacheLayout.evictedName, "packages"]
        let received = ["received.sqlite", "received.sqlite-wal", "received.sqlite-shm", "received.changes"]
        return Set(
            catalogue + received + ["received.changes.lock", "received.lock", "received", "reserve", "changes"]
                + ["writer.lock", "staging", "downloads", "channels", "site-ports", "site-ports.lock"]
        )
    }()

    private static let generationPrefix = "gen-"
    private static let temporaryPrefix = "tmp-"
    private static let noteSuffix = ".note"
    private static let damagedPrefix = "damaged-"
    private static let bitmapPrefix = "evicted-"

    /// Returns a new name for a generation, in `staging` and then in `packages`.
    static func generation() -> String { generationPrefix + digits() }

    /// Returns a new name in `staging` or `received` for a file that is removed by the end of the change.
    static func temporary() -> String { temporaryPrefix + digits() }

    /// Returns true if a name is one that ``temporary()`` gives.
    static func isTemporary(_ name: String) -> Bool { isRandom(name, temporaryPrefix) }

    /// Returns a new name for a file of a damaged catalogue, or of an older cache's, that is put aside.
    static func damaged(_ name: String) -> String { damagedPrefix + digits() + "." + name }

    /// Returns true if a name is that of a file that was put aside.
    static func isDamaged(_ name: String) -> Bool {
        isRandom(name.split(separator: ".").first.map(String.init) ?? "", damagedPrefix)
    }

    /// Returns a new name in `evicted` for a file with the numbers of evicted entries.
    static func bitmap() -> String { bitmapPrefix + digits() }

    /// Returns true if a name is one that ``bitmap()`` gives.
    static func isBitmap(_ name: String) -> Bool { isRandom(name, bitmapPrefix) }

    /// Returns the name of the note in `staging` that says: remove this generation unless the catalogue has it.
    static func note(for generation: String) -> String { generation + noteSuffix }

    /// Returns the generation of a note, or nil if the name is not a note's.
    static func generation(notedBy name: String) -> String? {
        guard name.hasSuffix(noteSuffix) else { return nil }
        let generation = String(name.dropLast(noteSuffix.count))
        return isRandom(generation, generationPrefix) ? generation : nil
    }

    /// Returns true if a file in `staging` was left by one of afcache's writers, which alone give such names.
    static func isTransient(_ name: String) -> Bool {
        isRandom(name, generationPrefix) || isTemporary(name) || generation(notedBy: name) != nil
    }

    /// Returns true if a name in the catalogue may be a generation's: a plain name, without a path.
    static func mayBeGeneration(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "-")
            }
    }

    /// Returns true if a name is that of a received body: 16 hexadecimal digits, in the folder of the first two.
    static func isReceivedBody(_ name: String, in folder: String) -> Bool {
        isHexadecimal(name, 16) && isReceivedFolder(folder) && name.hasPrefix(folder)
    }

    /// Returns true if a name is that of a folder of received bodies.
    static func isReceivedFolder(_ name: String) -> Bool { isHexadecimal(name, 2) }

    private static func isRandom(_ name: String, _ prefix: String) -> Bool {
        name.hasPrefix(prefix) && isHexadecimal(name.dropFirst(prefix.count), 16)
    }

    private static func isHexadecimal(_ name: some StringProtocol, _ count: Int) -> Bool {
        name.utf8.count == count
            && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func digits() -> String { digits(UInt64.random(in: .min ... .max)) }

    /// Returns a number as 16 hexadecimal digits.
    static func digits(_ number: UInt64) -> String {
        Hexadecimal.text(withUnsafeBytes(of: number.bigEndian) { Array($0) })
    }
}
