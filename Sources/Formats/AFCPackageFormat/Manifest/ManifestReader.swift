internal import AFCURL

/// Understands a manifest line by line; what is wrong or odd becomes a problem, and no line is dropped silently.
///
/// Memory grows with the problems. While URLs ascend, each is compared with the one before; from the first that doesn't,
/// 27 to 53 bytes for each entry tell which come again.
public struct ManifestReader: Sendable {
    /// Reads at a place of the manifest until the buffer is full or the manifest ends, and says how many bytes it read.
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

    /// What was found wrong or odd so far, and not yet taken.
    public var problems: [PackageProblem] { parser.problems }

    /// Gives what was found wrong or odd since the last call, and forgets it.
    ///
    /// - Returns: The problems, in the order of their lines.
    public mutating func takeProblems() -> [PackageProblem] { parser.takeProblems() }

    /// The value of the header line `baseURL = URL`, where there was one.
    public var baseURL: String? { parser.baseURL }
    /// How the lines so far are written; whether the last one has an end is clear after it only.
    public var texture: ManifestTexture { parser.texture }

    /// Starts at the first line of a manifest that is in memory.
    public init(_ bytes: [UInt8]) { self.init(bytes, usesShortcuts: true) }

    /// Starts at the first line of a manifest that is read in parts by ``next(_:)``.
    public init() {
        window = ManifestWindow()
        usesShortcuts = true
    }

    /// Starts at the first line; without shortcuts each line goes the long way, to the same answers.
    package init(_ bytes: [UInt8], usesShortcuts: Bool) {
        window = ManifestWindow(bytes)
        self.usesShortcuts = usesShortcuts
        noteByteOrderMark()
    }

    /// Starts again at the first line, to say nothing of what is found.
    private init(again window: ManifestWindow) {
        self.window = window.restarted
        parser = LineParser(isQuiet: true)
        usesShortcuts = true
    }

    /// The next entry that could be understood, each URL once, or nil after the last.
    public mutating func next() -> Item? {
        if let item = plainEntry(isNew: true) { return item }
        return nextNew { _, _ in 0 }
    }

    /// The next entry that could be understood, each URL once, or nil after the last; reads the manifest in parts.
    ///
    /// Earlier parts are read again where URLs don't ascend.
    ///
    /// - Parameter read: The manifest, the same at each call.
    /// - Returns: The entry.
    /// - Throws: What reading throws; the reader is of no use then.
    public mutating func next<Failure: Error>(_ read: Source<Failure>) throws(Failure) -> Item? {
        if let item = plainEntry(isNew: true) { return item }
        return try nextNew(read)
    }

    /// The next entry, however its line and its place among the others are.
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

    /// The next entry that could be understood, whether its URL is new or not.
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

    /// The entry of the next line, where nothing is odd in it; else the line wasn't read.
    ///
    /// - Parameter isNew: Whether it must be clear that its URL is new and in order; then it is remembered.
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

    /// Moves over lines that have nothing but their ends, of which a hostile manifest may have millions.
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

    /// Reports a manifest of two or four bytes a character once, and reads no line of it.
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

    // MARK: Entries that come again

    /// All that stands before an entry, none of which comes again.
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

    /// The entry that had the same URL first; else the search ends where the entry can be inserted.
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

    /// The entry at a place where one was found before.
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

/// Encodings of two or four bytes a character, which some editors save texts in.
public enum WideEncoding {
    /// The name of the encoding that a text begins in, or nil where it has one byte for an ASCII character.
    ///
    /// The byte order mark shows it, or the zeros beside the first two characters.
    ///
    /// - Parameter bytes: The text, or its first bytes.
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
