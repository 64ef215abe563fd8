internal import AFCHTTP
internal import AFCURL

/// Parses lines of a manifest one by one, independently of each other.
struct LineParser: Sendable {
    /// A line and the buffer that contains it.
    struct Line {
        let window: [UInt8]
        let range: Range<Int>
        let place: LinePlace
    }

    private(set) var problems: [PackageProblem] = []
    /// True if a problem so far is an error.
    private(set) var hasErrors = false
    private(set) var baseURL: String?
    /// The formatting of the lines so far.
    var texture = ManifestTexture()
    /// The media types so far: a manifest has many lines and few media types.
    var mediaTypes = MediaTypeCache()
    private var hasReportedCRLF = false
    /// True if lines are read for a second time, so that problems aren't reported again.
    let isQuiet: Bool

    init(isQuiet: Bool = false) { self.isQuiet = isQuiet }

    mutating func report(_ problem: PackageProblem) {
        guard !isQuiet else { return }
        if problem.severity == .error { hasErrors = true }
        problems.append(problem)
    }

    /// Returns the problems so far and removes them.
    mutating func takeProblems() -> [PackageProblem] {
        defer { problems.removeAll(keepingCapacity: true) }
        return problems
    }

    /// Reports the first line that ends in CR LF.
    ///
    /// - Parameters:
    ///   - place: The line.
    ///   - length: The number of bytes in the line, without its end.
    mutating func noteCRLF(_ place: LinePlace, length: Int) {
        guard !hasReportedCRLF else { return }
        hasReportedCRLF = true
        report(place.problem(.crlf, at: length..<(length + 1)))
    }

    // MARK: Plain lines

    /// Returns the entry of a line without oddities, or nil; in that case nothing was reported.
    ///
    /// - Parameters:
    ///   - line: The line.
    ///   - window: The window that starts with the line.
    ///   - isTaken: Returns whether a URL, at a place, is wanted.
    /// - Returns: The entry.
    @inline(__always)
    mutating func plainEntry(
        _ line: PlainLine,
        in window: ManifestWindow,
        _ isTaken: (UnsafeBufferPointer<UInt8>, LinePlace) -> Bool
    ) -> ManifestReader.Item? {
        let fields = line.fields
        let start = window.position
        guard fields.url.count <= PackageLayout.urlByteLimit else { return nil }
        return window.bytes.withUnsafeBufferPointer { bytes in
            func field(_ part: Range<Int>) -> UnsafeBufferPointer<UInt8> {
                UnsafeBufferPointer(rebasing: bytes[(start + part.lowerBound)..<(start + part.upperBound)])
            }
            let url = field(fields.url)
            guard let form = WebURL.NormalForm(url) else { return nil }
            var (lastModified, expires): (LenientDate.Reading?, LenientDate.Reading?)
            if case let text = field(fields.lastModified), !isNone(text) {
                lastModified = LenientDate.parse(text)
                guard let time = lastModified, time.isNormal else { return nil }
            }
            if let part = fields.expires, case let text = field(part), !isNone(text) {
                expires = LenientDate.parse(text)
                guard let time = expires, time.isNormal else { return nil }
                if let lastModified, time.timestamp <= lastModified.timestamp { return nil }
            }
            var mediaType: String?
            if let part = fields.mediaType, case let text = field(part), !isNone(text) {
                let reading = mediaTypes.look(text)
                guard reading.isNormal else { return nil }
                mediaType = reading.normal
            }
            let place = LinePlace(number: window.line.number &+ 1, offset: window.base &+ start)
            guard isTaken(url, place) else { return nil }
            return ManifestReader.Item(
                line: place.number,
                offset: place.offset,
                parts: fields,
                lastModifiedReading: lastModified,
                expiresReading: expires,
                mediaType: mediaType,
                address: .normal(form),
                window: window.bytes,
                range: start..<(start + line.count)
            )
        }
    }

    // MARK: Any line

    /// Returns the entry of a line that was read before, or nil if it is none.
    ///
    /// - Parameter line: The line, with its end if it has one.
    /// - Returns: The entry.
    mutating func item(_ line: UnsafeBufferPointer<UInt8>) -> ManifestReader.Item? {
        // A plain line is read eight bytes at a time, also beyond its end.
        let bytes = [UInt8](unsafeUninitializedCapacity: line.count + PlainLine.reach) { buffer, count in
            count = buffer.count
            let (_, end) = buffer[..<line.count].initialize(from: line)
            buffer[end...].initialize(repeating: 0)
        }
        let plain = bytes.withUnsafeBytes { bytes in
            bytes.baseAddress.flatMap { PlainLine($0, available: bytes.count) }
        }
        if let plain, let item = plainEntry(plain, in: ManifestWindow(bytes), { _, _ in true }) { return item }
        var end = line.count
        if line.last == UInt8(ascii: "\n") {
            end -= 1
            if end > 0, line[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        }
        return entry(Line(window: bytes, range: 0..<end, place: LinePlace(number: 1, offset: 0)))
    }

    /// Returns the entry of any line that can be understood, and reports its problems.
    mutating func entry(_ line: Line) -> ManifestReader.Item? {
        guard line.range.count <= PackageLayout.lineByteLimit else {
            reportTooLong(line.place, length: line.range.count)
            return nil
        }
        return line.window.withUnsafeBufferPointer { window in
            let bytes = UnsafeBufferPointer(rebasing: window[line.range])
            let content = ManifestLine.cut(bytes, bytes.indices)
            // A line that is not text has no other content.
            if content != .blank, !isText(bytes, line.place) { return nil }
            texture.add(content, line.place.number, of: bytes)
            switch content {
            case .blank, .tooLong: return nil
            case .malformed(let fields):
                let part = ManifestLine.trim(bytes, bytes.indices)
                // Whoever has too many fields knows the delimiter.
                let mistake = fields > 5 ? nil : LineMistake.of(Self.text(bytes, part))
                report(line.place.problem(.malformedLine(fields: fields, mistake: mistake), at: part))
                return nil
            case .header(let key, let value):
                readHeader(key: key, value: value, bytes, line.place)
                return nil
            case .entry(let fields):
                return entry(fields, bytes, line)
            }
        }
    }

    mutating func reportTooLong(_ place: LinePlace, length: Int) {
        report(place.problem(.lineTooLong, at: 0..<length))
    }

    /// Reports bytes that no line may contain.
    private mutating func isText(_ bytes: UnsafeBufferPointer<UInt8>, _ place: LinePlace) -> Bool {
        var hasControl = false
        var all: UInt8 = 0
        for byte in bytes {
            hasControl = hasControl || Self.isControl(byte)
            all |= byte
        }
        if hasControl, let control = bytes.firstIndex(where: Self.isControl) {
            report(place.problem(.controlCharacter(bytes[control]), at: control..<(control + 1)))
            return false
        }
        if all >= 0x80, let wrong = Self.firstNotUTF8(bytes) {
            report(place.problem(.notUTF8, at: wrong))
            return false
        }
        return true
    }

    private static func isControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != 0x09) || byte == 0x7F }

    /// Returns the first bytes that are not valid UTF-8.
    private static func firstNotUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        var decoder = UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var place = 0
        while true {
            switch decoder.parseScalar(from: &iterator) {
            case .valid(let character): place += character.count
            case .error(let length): return place..<(place + length)
            case .emptyInput: return nil
            }
        }
    }

    private mutating func readHeader(
        key: Range<Int>,
        value: Range<Int>,
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ place: LinePlace
    ) {
        let name = Self.text(bytes, key)
        if name == "baseURL" {
            baseURL = Self.text(bytes, value)
        } else {
            report(place.problem(.unknownHeader(key: name), at: key))
        }
    }

    private mutating func entry(
        _ fields: ManifestLine.Fields,
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ line: Line
    ) -> ManifestReader.Item? {
        guard let url = self.url(bytes, fields.url, line.place) else { return nil }
        let lastModified = self.date(bytes, fields.lastModified, name: "last-modified", line.place)
        let expires = fields.expires.flatMap { self.date(bytes, $0, name: "expires", line.place) }
        let mediaType = fields.mediaType.flatMap { self.mediaType(bytes, $0, line.place) }
        if let lastModified, let expires, let part = fields.expires {
            checkDates(lastModified.timestamp, expires.timestamp, part, line.place)
        }
        if fields.count > 2, fields.last.isEmpty, let end = bytes.lastIndex(of: UInt8(ascii: ";")) {
            report(line.place.problem(.trailingDelimiter, at: end..<(end + 1)))
        }
        return ManifestReader.Item(
            line: line.place.number,
            offset: line.place.offset,
            parts: LineFields(fields),
            lastModifiedReading: lastModified,
            expiresReading: expires,
            mediaType: mediaType,
            address: .parsed(url),
            window: line.window,
            range: line.range
        )
    }

    static func text(_ bytes: UnsafeBufferPointer<UInt8>, _ part: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[part]), as: UTF8.self)
    }
}

/// Parsing of fields in lines that aren't plain.
extension LineParser {
    mutating func url(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ part: Range<Int>,
        _ place: LinePlace
    ) -> WebURL? {
        let text = Self.text(bytes, part)
        guard part.count <= PackageLayout.urlByteLimit else {
            let reason = "longer than \(PackageLayout.urlByteLimit) bytes"
            report(place.problem(.badURL(text: text, reason: reason), at: part))
            return nil
        }
        let parsed: WebURL
        do throws(WebURL.ParseError) {
            parsed = try WebURL(text)
        } catch {
            report(place.problem(.badURL(text: text, reason: error.description), at: part))
            reportOddDelimiter(bytes, OddDelimiter.inURL(bytes, part), "the URL", place)
            return nil
        }
        guard !parsed.hasCredentials else {
            report(place.problem(.urlHasCredentials, at: part))
            return nil
        }
        guard parsed.description != text else { return parsed }
        if reportOddDelimiter(bytes, OddDelimiter.inURL(bytes, part), "the URL", place) { return parsed }
        if let hash = bytes[part].firstIndex(of: UInt8(ascii: "#")) {
            report(place.problem(.urlHasFragment(text: text), at: hash..<part.upperBound))
        } else {
            report(place.problem(.urlNotNormal(text: text, normal: parsed.description), at: part))
        }
        return parsed
    }

    mutating func date(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ part: Range<Int>,
        name: String,
        _ place: LinePlace
    ) -> LenientDate.Reading? {
        let field = UnsafeBufferPointer(rebasing: bytes[part])
        if isNone(field) { return nil }
        guard let found = LenientDate.parse(field) else {
            if !reportOddDelimiter(bytes, OddDelimiter.inDate(bytes, part), name, place) {
                report(place.problem(.badDate(field: name, text: Self.text(bytes, part)), at: part))
            }
            return nil
        }
        if !found.isNormal, !isQuiet {
            report(place.problem(.foreignDate(field: name, text: Self.text(bytes, part), found), at: part))
        }
        return found
    }

    /// Reports text that was meant as a delimiter, if there is any.
    ///
    /// - Returns: True if there is such text.
    @discardableResult
    private mutating func reportOddDelimiter(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ range: Range<Int>?,
        _ field: String,
        _ place: LinePlace
    ) -> Bool {
        guard let range else { return false }
        report(place.problem(.oddDelimiter(field: field, text: Self.text(bytes, range)), at: range))
        return true
    }

    mutating func checkDates(
        _ lastModified: Timestamp,
        _ expires: Timestamp,
        _ part: Range<Int>,
        _ place: LinePlace
    ) {
        if expires == lastModified { report(place.problem(.expiresEqualsLastModified, at: part)) }
        if expires < lastModified { report(place.problem(.expiresBeforeLastModified, at: part)) }
    }

    mutating func mediaType(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ part: Range<Int>,
        _ place: LinePlace
    ) -> String? {
        let field = UnsafeBufferPointer(rebasing: bytes[part])
        if isNone(field) { return nil }
        let reading = mediaTypes.look(field)
        if reading.isNormal { return reading.normal }
        if reportOddDelimiter(bytes, OddDelimiter.inType(bytes, part), "the media type", place) {
            return reading.normal
        }
        let written = Self.text(bytes, part)
        guard let normal = reading.normal else {
            report(place.problem(.badMediaType(text: written), at: part))
            return nil
        }
        report(place.problem(.mediaTypeNotNormal(text: written, normal: normal), at: part))
        return normal
    }
}
