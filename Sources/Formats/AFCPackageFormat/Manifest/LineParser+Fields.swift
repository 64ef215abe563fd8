internal import AFCCaching
internal import AFCHTTP
internal import AFCURL

/// What the fields of a line say that isn't plain.
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
            let normal = HTTPDate.format(found.timestamp)
            report(place.problem(.foreignDate(field: name, text: Self.text(bytes, part), normal: normal), at: part))
        }
        return found
    }

    /// Reports what was meant as a delimiter, where there is such a thing.
    ///
    /// - Returns: Whether there is.
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
