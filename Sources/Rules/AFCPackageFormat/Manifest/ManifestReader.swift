internal import AFCURL

/// Reads a manifest line by line.
///
/// Every error or oddity becomes a problem; no line is dropped silently.
///
/// Memory use grows with the number of problems. As long as URLs ascend, each is compared with the previous one only.
/// From the first URL that doesn't, 27 to 53 bytes are kept for each entry to detect repeated URLs.
public struct ManifestReader: Sendable {
    /// Reads from a place in the manifest until the buffer is full or the manifest ends, and returns the number of
    /// bytes read.
    public typealias Source<Failure: Error> = (
        _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int
    ) throws(Failure) -> Int

    private var window: ManifestWindow
    private var parser = LineParser()
    private var first = FirstEntries()
    private let usesShortcuts: Bool
    private var hasReportedByteOrderMark = false
    private var hasLookedAtEncoding = false
    private var isAtEnd = false

    /// The problems found so far that weren't taken.
    public var problems: [PackageProblem] { parser.problems }

    /// Returns the problems found since the last call and removes them.
    ///
    /// - Returns: The problems, in the order of their lines.
    public mutating func takeProblems() -> [PackageProblem] { parser.takeProblems() }

    /// The value of the header line `baseURL = URL`, if there is one.
    public var baseURL: String? { parser.baseURL }
    /// The formatting of the lines so far.
    ///
    /// It is known only at the end whether the last line has a line end.
    public var texture: ManifestTexture { parser.texture }

    /// Creates a reader for a manifest in memory.
    public init(_ bytes: [UInt8]) { self.init(bytes, usesShortcuts: true) }

    /// Creates a reader for a manifest that ``next(_:)`` reads in parts.
    public init() {
        window = ManifestWindow()
        usesShortcuts = true
    }

    /// Creates a reader; without shortcuts, each line takes the general path, which gives the same results.
    package init(_ bytes: [UInt8], usesShortcuts: Bool) {
        window = ManifestWindow(bytes)
        self.usesShortcuts = usesShortcuts
        noteByteOrderMark()
    }

    /// Creates a reader that starts again at the first line and reports no problems.
    private init(again window: ManifestWindow) {
        self.window = window.restarted
        parser = LineParser(isQuiet: true)
        usesShortcuts = true
    }

    /// Returns the next entry that could be parsed, or nil after the last.
    ///
    /// Each URL is returned once.
    public mutating func next() -> Item? {
        if let item = plainEntry(isNew: true) { return item }
        return nextNew { _, _ in 0 }
    }

    /// Returns the next entry that could be parsed, or nil after the last, and reads the manifest in parts.
    ///
    /// Each URL is returned once.
    ///
    /// Earlier parts are read again if URLs don't ascend.
    ///
    /// - Parameter read: Reads the manifest; must be the same at each call.
    /// - Returns: The entry.
    /// - Throws: Any error of the read function; the reader can't be used afterwards.
    public mutating func next<Failure: Error>(_ read: Source<Failure>) throws(Failure) -> Item? {
        if let item = plainEntry(isNew: true) { return item }
        return try nextNew(read)
    }

    /// Returns the next entry with a new URL, by the general path.
    private mutating func nextNew<Failure: Error>(_ read: Source<Failure>) throws(Failure) -> Item? {
        while let item = try nextEntry(read) {
            if item.withURLBytes({ first.ascends(to: $0) }) { return item }
            if !first.hasTable { first.useTable(try table(before: item, read)) }
            var search = first.search(item)
            if let earlier = try earlier(&search, than: item, read) {
                reportRepetition(of: earlier, item)
                continue
            }
            if let previous = first.previous(sortedAfter: item) {
                parser.report(item.place.problem(.unsorted(previous: previous), at: item.fields.url))
            }
            first.insert(item, search)
            return item
        }
        finish()
        return nil
    }

    /// Returns the next entry that could be parsed, even if its URL isn't new.
    private mutating func nextEntry<Failure: Error>(_ read: Source<Failure>) throws(Failure) -> Item? {
        while true {
            if let item = plainEntry(isNew: false) { return item }
            if usesShortcuts { skipEmptyLines() }
            switch window.next() {
            case .line(let range, let endsInCRLF):
                if endsInCRLF { parser.noteCRLF(window.line, length: range.count) }
                parser.texture.addEnd(window.line.number, length: range.count, endsInCRLF: endsInCRLF)
                let line = LineParser.Line(window: window.bytes, range: range, place: window.line)
                if let item = parser.entry(line) { return item }
            case .long(let length, let endsInCRLF):
                if endsInCRLF { parser.noteCRLF(window.line, length: length) }
                parser.texture.addEnd(window.line.number, length: length, endsInCRLF: endsInCRLF)
                parser.reportTooLong(window.line, length: length)
            case .incomplete:
                try window.refill(read)
                noteByteOrderMark()
            case .end:
                return nil
            }
        }
    }

    /// Returns the entry of the next line if it has no oddities; otherwise the line remains unread.
    ///
    /// - Parameter isNew: Whether the URL must be known to be new and in order; if so, it is remembered.
    /// - Returns: The entry.
    @inline(__always)
    private mutating func plainEntry(isNew: Bool) -> Item? {
        guard usesShortcuts else { return nil }
        let (position, count) = (window.position, window.count)
        let line = window.bytes.withUnsafeBytes { bytes in
            bytes.baseAddress.flatMap { PlainLine($0 + position, available: count - position) }
        }
        guard let line else { return nil }
        let item = parser.plainEntry(line, in: window) { isNew ? first.takes($0, at: $1) : true }
        guard let item else { return nil }
        let place = window.take(line.total)
        if line.endsInCRLF { parser.noteCRLF(place, length: line.count) }
        parser.texture.add(
            plain: place.number,
            fields: Int(line.fields.count),
            length: line.count,
            endsInCRLF: line.endsInCRLF
        )
        return item
    }

    /// Skips lines that consist of a line end only, of which a hostile manifest may have millions.
    private mutating func skipEmptyLines() {
        for endsInCRLF in [false, true] {
            let (first, count) = window.takeEmptyLines(endingInCRLF: endsInCRLF)
            guard count > 0 else { continue }
            if endsInCRLF { parser.noteCRLF(first, length: 0) }
            parser.texture.addEmpty(first.number, count: count, endInCRLF: endsInCRLF)
        }
    }

    private mutating func noteByteOrderMark() {
        lookAtEncoding()
        guard window.hasByteOrderMark, !hasReportedByteOrderMark else { return }
        hasReportedByteOrderMark = true
        parser.report(LinePlace(number: 1, offset: 3).problem(.byteOrderMark, at: 0..<0))
    }

    /// Reports a manifest in UTF-16 or UTF-32 once, and reads none of its lines.
    private mutating func lookAtEncoding() {
        guard !hasLookedAtEncoding, window.base == 0, window.count > 0 else { return }
        hasLookedAtEncoding = true
        guard let name = WideEncoding.name(of: window.bytes[..<window.count]) else { return }
        parser.report(LinePlace(number: 1, offset: 0).problem(.otherEncoding(name: name), at: 0..<0))
        window = ManifestWindow([])
    }

    private mutating func finish() {
        guard !isAtEnd else { return }
        isAtEnd = true
        if window.lacksLastLineEnd {
            if window.line.number > 0 { parser.texture.lastLineHasNoEnd() }
            let line = window.line.number > 0 ? window.line : LinePlace(number: 1, offset: window.end)
            let length = window.end - line.offset
            parser.report(line.problem(.noLastLineEnd, at: length..<length))
        }
        if first.isEmpty, !parser.hasErrors {
            parser.report(LinePlace(number: 1, offset: 0).problem(.manifestEmpty, at: 0..<0))
        }
    }

    // MARK: Repeated entries

    /// Returns a table of all entries before this one, which are known to be distinct.
    private func table<Failure: Error>(before item: Item, _ read: Source<Failure>) throws(Failure) -> EntryTable {
        var reader = ManifestReader(again: window)
        var table = EntryTable()
        while let earlier = try reader.nextEntry(read), earlier.offset < item.offset {
            var search = earlier.withURLBytes(table.search)
            while table.next(&search) != nil {}
            table.insert(search, at: earlier.place)
        }
        return table
    }

    /// Returns the first entry with the same URL.
    ///
    /// If there is none, the search ends where the entry can be inserted.
    private mutating func earlier<Failure: Error>(
        _ search: inout EntryTable.Search?,
        than item: Item,
        _ read: Source<Failure>
    ) throws(Failure) -> Item? {
        while let place = first.next(&search) {
            if let known = first.confirmed, known.offset == place.offset {
                if known.hasURL(of: item) { return known }
            } else if let candidate = try entry(at: place, read), candidate.hasURL(of: item) {
                first.confirmed = candidate
                return candidate
            }
        }
        return nil
    }

    /// Returns the entry at a place where one was found before.
    private func entry<Failure: Error>(
        at place: LinePlace,
        _ read: Source<Failure>
    ) throws(Failure) -> Item? {
        var parser = LineParser(isQuiet: true)
        if let range = window.line(at: place.offset) {
            return parser.entry(LineParser.Line(window: window.bytes, range: range, place: place))
        }
        for size in [1 << 10, ManifestWindow.usualSize] {
            var line = ManifestWindow(at: place, size: size)
            try line.refill(read)
            guard case .line(let range, _) = line.next() else { continue }
            return parser.entry(LineParser.Line(window: line.bytes, range: range, place: place))
        }
        return nil
    }

    private mutating func reportRepetition(of earlier: Item, _ item: Item) {
        let url = item.url.description
        let isEqual =
            earlier.lastModified == item.lastModified && earlier.expires == item.expires
            && earlier.mediaType == item.mediaType && earlier.member == item.member
        let kind: PackageProblem.Kind =
            isEqual
            ? .duplicate(url: url, firstLine: earlier.line)
            : .conflictingDuplicate(url: url, firstLine: earlier.line)
        parser.report(item.place.problem(kind, at: item.fields.url))
    }
}

/// Encodings with two or four bytes a character, in which some editors save text.
public enum WideEncoding {
    /// Returns the name of the encoding, or nil if the text uses one byte for an ASCII character.
    ///
    /// The encoding is recognized by its byte order mark, or by the zeros next to the first two characters.
    ///
    /// - Parameter bytes: The text, or its beginning.
    /// - Returns: `UTF-16` or `UTF-32`, or nil.
    public static func name(of bytes: ArraySlice<UInt8>) -> String? {
        let start = Array(bytes.prefix(4))
        if start.starts(with: [0xFF, 0xFE, 0, 0]) || start.starts(with: [0, 0, 0xFE, 0xFF]) { return "UTF-32" }
        if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
        guard start.count == 4 else { return nil }
        func isPlain(_ byte: UInt8) -> Bool { (0x20..<0x7F).contains(byte) }
        let isLittle = isPlain(start[0]) && start[1] == 0 && isPlain(start[2]) && start[3] == 0
        let isBig = start[0] == 0 && isPlain(start[1]) && start[2] == 0 && isPlain(start[3])
        return isLittle || isBig ? "UTF-16" : nil
    }
}
