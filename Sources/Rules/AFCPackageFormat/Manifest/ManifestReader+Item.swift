public import AFCHTTP
internal import AFCText
public import AFCURL

extension ManifestReader {
    /// An entry and its place in the manifest.
    ///
    /// Its strings are created from the line's bytes on access.
    public struct Item: Sendable {
        /// The form in which the URL is available.
        enum Address: Sendable {
            /// The URL is in the line in normal form.
            case normal(WebURL.NormalForm)
            /// The URL was parsed; its text may differ from the line's.
            case parsed(WebURL)
        }

        /// The line's number, from 1.
        public let line: Int
        /// The byte offset of the line in the manifest.
        public let offset: Int
        let parts: LineFields
        /// The date of the last change and the format in which it is written, or nil if there is none.
        public let lastModifiedReading: LenientDate.Reading?
        /// The date of expiry and the format in which it is written, or nil if there is none.
        public let expiresReading: LenientDate.Reading?
        /// The normalized media type, or nil if unknown.
        public let mediaType: String?
        let address: Address
        /// The buffer that contains the line.
        let window: [UInt8]
        let range: Range<Int>

        /// The ranges of the fields, in bytes from the line's start.
        public var fields: ManifestLine.Fields { parts.fields }

        /// The time when the origin last changed the resource, or nil if unknown.
        public var lastModified: Timestamp? { lastModifiedReading?.timestamp }
        /// The time until which the response is fresh, or nil if it never is.
        public var expires: Timestamp? { expiresReading?.timestamp }

        /// The whole line, without its end.
        public var bytes: ArraySlice<UInt8> { window[range] }

        /// Returns the text of a part of the line.
        ///
        /// - Parameter part: A range of bytes from the line's start, for example one of ``fields``.
        /// - Returns: The text.
        public func text(_ part: Range<Int>) -> String {
            withBytes(part) { String(decoding: $0, as: UTF8.self) }
        }

        /// Calls a body with the bytes of a part of the line.
        ///
        /// - Parameters:
        ///   - part: A range of bytes from the line's start, for example one of ``fields``.
        ///   - body: Reads the bytes.
        /// - Returns: The body's result.
        @inline(__always)
        public func withBytes<Value>(_ part: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
            precondition(part.lowerBound >= 0 && part.upperBound <= range.count, "\(part) of \(range.count) bytes")
            let start = range.lowerBound + part.lowerBound
            return window.withUnsafeBufferPointer {
                body(UnsafeBufferPointer(rebasing: $0[start..<(start + part.count)]))
            }
        }

        /// The URL as written in the line.
        public var urlText: String { text(parts.url) }

        /// The URL of the resource, created on each access.
        public var url: WebURL {
            switch address {
            case .normal(let form): withBytes(parts.url) { WebURL(form, bytes: $0) }
            case .parsed(let url): url
            }
        }

        /// The places of the URL's parts, in bytes from its start.
        ///
        /// Nil unless it is an http or https URL with a domain name in normal form, and also if only parsing could
        /// decide that.
        public var normalForm: WebURL.NormalForm? {
            guard case .normal(let form) = address else { return nil }
            return form
        }

        /// True if the URL is written in its serialized form.
        public var isURLNormal: Bool {
            switch address {
            case .normal: true
            case .parsed(let url): url.description == urlText
            }
        }

        /// The member that holds the body, or nil if the member rule gives its name.
        public var member: String? {
            guard let part = parts.member, !withBytes(part, isNone) else { return nil }
            return text(part)
        }

        /// The media type of a line where the delimiter split it, so that its parameter is in the field of the member.
        ///
        /// Nil unless the fifth field is a parameter such as `charset=utf-8`.
        public var splitMediaType: String? {
            guard let mediaType, let member, !member.utf8.contains(UInt8(ascii: "/")),
                let whole = MediaType(mediaType + "; " + member), let type = MediaType(mediaType),
                whole.parameters.count == type.parameters.count + 1
            else { return nil }
            return whole.description
        }

        /// True if the line has text in the field of the media type, valid or not.
        public var hasMediaTypeText: Bool { parts.mediaType.map { !withBytes($0, isNone) } ?? false }

        /// The whole entry, created on each access.
        public var entry: ManifestEntry {
            ManifestEntry(
                url: url,
                lastModified: lastModified,
                expires: expires,
                mediaType: mediaType,
                member: member
            )
        }

        /// The place of the line, for reporting problems.
        var place: LinePlace { LinePlace(number: line, offset: offset) }

        /// Returns true if another entry has the same URL.
        func hasURL(of other: ManifestReader.Item) -> Bool {
            withURLBytes { one in other.withURLBytes { ByteCursor.isEqual(one, $0) } }
        }

        /// Calls a body with the bytes of the serialized URL.
        @inline(__always)
        func withURLBytes<Value>(_ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
            switch address {
            case .normal:
                return withBytes(parts.url, body)
            case .parsed(let url):
                var text = url.description
                return text.withUTF8(body)
            }
        }
    }
}

extension ManifestReader.Item: Equatable {
    /// Returns true if both are the same entry at the same place.
    public static func == (one: ManifestReader.Item, other: ManifestReader.Item) -> Bool {
        one.place == other.place && one.fields == other.fields && one.bytes == other.bytes
    }
}

/// Returns true if a field has no value.
@inline(__always)
func isNone(_ field: UnsafeBufferPointer<UInt8>) -> Bool {
    guard field.count == 4 else { return field.isEmpty }
    return UnsafeRawPointer(field.baseAddress)?.loadUnaligned(as: UInt32.self) == UInt32(bigEndian: 0x4E55_4C4C)
}

extension ManifestReader.Item {
    /// The traits of the URL.
    public var urlGlance: URLGlance {
        if case .normal(let form) = address {
            let (host, path) = (form.host, form.path)
            return withBytes(parts.url) { URLGlance($0, host: host, path: path) }
        }
        // Another oddity in the line prevented the fast path.
        return withBytes(parts.url) { url in
            WebURL.NormalForm(url).map { URLGlance(url, host: $0.host, path: $0.path) } ?? URLGlance()
        }
    }

    /// The range of text in a field that was meant as the delimiter but isn't one, in bytes from the line's start; nil
    /// if there is none.
    public var oddDelimiter: Range<Int>? {
        // A line whose URL needn't be parsed has no oddities.
        guard case .parsed(let url) = address else { return nil }
        return withBytes(0..<range.count) { bytes in
            if url.description != urlText, let found = OddDelimiter.inURL(bytes, parts.url) { return found }
            if lastModified == nil, let found = OddDelimiter.inDate(bytes, parts.lastModified) { return found }
            if expires == nil, let part = parts.expires, let found = OddDelimiter.inDate(bytes, part) { return found }
            guard let part = parts.mediaType, mediaType != text(part) else { return nil }
            return OddDelimiter.inType(bytes, part)
        }
    }
}
