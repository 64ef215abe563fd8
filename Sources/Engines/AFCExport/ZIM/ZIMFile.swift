internal import AFCFiles
internal import AFCText
internal import Crypto

/// The entries of a ZIM file, and the writing of it (https://wiki.openzim.org/wiki/ZIM_file_format, version 6.1).
struct ZIMFile {
    /// An entry.
    struct Entry {
        /// The namespace: content, metadata, well-known names, and indices.
        enum Namespace: UInt8 {
            case content = 0x43
            case metadata = 0x4D
            case wellKnown = 0x57
            case index = 0x58
        }

        /// The contents of an entry.
        enum Content {
            case blob(ZIMClusters.Place, type: String)
            case redirect(path: String)
        }

        var namespace: Namespace
        var path: String
        /// The title; empty if it is the path.
        var title = ""
        var content: Content
        /// True for a page that a reader may look for by its title.
        var isPage = false

        var shownTitle: String { title.isEmpty ? path : title }
    }

    /// The type for what there is no room to name.
    private static let anyType = "application/octet-stream"
    /// The type of the list of titles.
    private static let listType = "application/octet-stream+zimlisting"
    /// The room of the list of types: readers look for its end in the first 1,024 bytes.
    private static let typeRoom = 1024 - headSize
    private static let headSize = 80
    private static let pieceSize = 256 << 10

    private let clusters: ZIMClusters
    private var entries: [Entry]

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - entries: All entries but the list of titles, with different paths in each namespace.
    ///   - clusters: Their contents.
    init(_ entries: [Entry], _ clusters: ZIMClusters) { (self.entries, self.clusters) = (entries, clusters) }

    /// Writes the file.
    ///
    /// - Parameters:
    ///   - digest: What the ID of the file depends on, at least 16 bytes.
    ///   - write: Takes the bytes in order.
    /// - Throws: `FileError` or `ZipError`, and any error that `write` throws.
    mutating func write(digest: [UInt8], _ write: (UnsafeRawBufferPointer) throws -> Void) throws {
        let listing = Entry(
            namespace: .index,
            path: "listing/titleOrdered/v1",
            content: .redirect(path: "")
        )
        entries.append(listing)
        entries.sort(by: Self.precedes)
        let numbers = Dictionary(
            uniqueKeysWithValues: entries.enumerated().filter { $0.element.namespace == .content }
                .map { ($0.element.path, UInt32($0.offset)) }
        )
        let byTitle = entries.indices.map { (title: entries[$0].shownTitle, number: $0) }.sorted {
            let (left, right) = (entries[$0.number].namespace.rawValue, entries[$1.number].namespace.rawValue)
            guard left == right else { return left < right }
            return $0.title == $1.title ? $0.number < $1.number : Self.isBefore($0.title, $1.title)
        }
        var pages: [UInt8] = []
        for (_, number) in byTitle where entries[number].isPage { pages.append(little: UInt32(number)) }
        let place = try clusters.add(pages, isCompressed: false)
        entries[entries.count - 1].content = .blob(place, type: Self.listType)
        try clusters.finish()

        let types = Self.types(of: entries)
        let typeNumbers = Dictionary(uniqueKeysWithValues: types.enumerated().map { ($0.element, UInt16($0.offset)) })
        var list: [UInt8] = []
        for type in types { list += Array(type.utf8) + [0] }
        list.append(0)
        while (Self.headSize + list.count) % 8 != 0 { list.append(0) }
        let (count, clusterCount) = (entries.count, clusters.offsets.count)
        let pathStart = Int64(Self.headSize + list.count)
        let titleStart = pathStart + Int64(8 * count)
        let clusterStart = titleStart + Int64((4 * count + 7) / 8 * 8)
        let entryStart = clusterStart + Int64(8 * clusterCount)
        let entrySizes = entries.map { Self.size(of: $0) }
        let dataStart = entryStart + entrySizes.reduce(0) { $0 + Int64($1) }
        let main = entries.firstIndex { $0.namespace == .wellKnown && $0.path == "mainPage" }

        var hash = Insecure.MD5()
        var pending: [UInt8] = []
        func flush() throws {
            try pending.withUnsafeBytes { bytes in
                hash.update(bufferPointer: bytes)
                try write(bytes)
            }
            pending.removeAll(keepingCapacity: true)
        }
        pending.append(little: 0x044D_495A as UInt32)
        pending.append(little: 6 as UInt16)
        pending.append(little: 1 as UInt16)
        pending += Self.uuid(digest)
        pending.append(little: UInt32(count))
        pending.append(little: UInt32(clusterCount))
        for position in [pathStart, titleStart, clusterStart, Int64(Self.headSize)] {
            pending.append(little: UInt64(position))
        }
        pending.append(little: main.map(UInt32.init) ?? .max)
        pending.append(little: UInt32.max)
        pending.append(little: UInt64(dataStart + clusters.size))
        pending += list
        var position = entryStart
        for size in entrySizes {
            pending.append(little: UInt64(position))
            position += Int64(size)
            if pending.count > Self.pieceSize { try flush() }
        }
        for (_, number) in byTitle { pending.append(little: UInt32(number)) }
        if count % 2 != 0 { pending.append(little: 0 as UInt32) }
        for offset in clusters.offsets { pending.append(little: UInt64(dataStart + offset)) }
        for entry in entries {
            pending.append(contentsOf: record(of: entry, numbers, typeNumbers))
            if pending.count > Self.pieceSize { try flush() }
        }
        try flush()
        try clusters.forEachPiece { bytes in
            hash.update(bufferPointer: bytes)
            try write(bytes)
        }
        try Array(hash.finalize()).withUnsafeBytes(write)
    }

    // MARK: Entries

    private func record(of entry: Entry, _ numbers: [String: UInt32], _ types: [String: UInt16]) -> [UInt8] {
        var record: [UInt8] = []
        switch entry.content {
        case .blob(let place, let type):
            record.append(little: types[type] ?? types[Self.anyType] ?? 0)
            record += [0, entry.namespace.rawValue]
            record.append(little: 0 as UInt32)
            record.append(little: clusters.number(of: place))
            record.append(little: place.blob)
        case .redirect(let path):
            guard let target = numbers[path] else { preconditionFailure("no entry \(path)") }
            record.append(little: UInt16.max)
            record += [0, entry.namespace.rawValue]
            record.append(little: 0 as UInt32)
            record.append(little: target)
        }
        return record + entry.path.utf8 + [0] + entry.title.utf8 + [0]
    }

    private static func size(of entry: Entry) -> Int {
        let fields = if case .blob = entry.content { 16 } else { 12 }
        return fields + entry.path.utf8.count + entry.title.utf8.count + 2
    }

    private static func precedes(_ left: Entry, _ right: Entry) -> Bool {
        left.namespace == right.namespace
            ? isBefore(left.path, right.path) : left.namespace.rawValue < right.namespace.rawValue
    }

    /// Returns true if a text is before another one by its bytes.
    private static func isBefore(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    /// Returns the types of all entries that have room, sorted; of too many, the most frequent.
    private static func types(of entries: [Entry]) -> [String] {
        var counts: [String: Int] = [listType: .max, anyType: .max]
        for entry in entries {
            if case .blob(_, let type) = entry.content, counts[type] != .max { counts[type, default: 0] += 1 }
        }
        var room = typeRoom - 8
        let frequent = counts.sorted { $0.value == $1.value ? isBefore($0.key, $1.key) : $0.value > $1.value }.map(
            \.key
        )
        return frequent.filter { type in
            guard type.utf8.count < room else { return false }
            room -= type.utf8.count + 1
            return true
        }
        .sorted(by: isBefore)
    }

    /// Returns a UUID of version 8 (RFC 9562 §5.8).
    private static func uuid(_ digest: [UInt8]) -> [UInt8] {
        var bytes = Array(digest.prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes
    }
}
