public import AFCHTTP
internal import AFCText
public import AFCURL

extension ManifestReader {
    /// An entry and where it stood; texts are made of the line's bytes when they are asked for.
    public struct Item: Sendable {
        /// What is known of the URL.
        enum Address: Sendable {
            /// It stands in the line in normal form.
            case normal(WebURL.NormalForm)
            /// It was parsed, and its text may be another than the line's.
            case parsed(WebURL)
        }

        /// The line's number, from 1.
        public let line: Int
        /// Where the line begins, in bytes of the manifest.
        public let offset: Int
        let parts: LineFields
        /// What the date of the last change says, and in which form it is written; nil where there is none.
        public let lastModifiedReading: LenientDate.Reading?
        /// What the date of expiry says, and in which form it is written; nil where there is none.
        public let expiresReading: LenientDate.Reading?
        /// The normalised media type, or nil where it is unknown.
        public let mediaType: String?
        let address: Address
        /// What the line is a part of.
        let window: [UInt8]
        let range: Range<Int>

        /// Where its fields are, in bytes from the line's start.
        public var fields: ManifestLine.Fields { parts.fields }

        /// When the origin last changed the resource, or nil where it didn't say.
        public var lastModified: Timestamp? { lastModifiedReading?.timestamp }
        /// Until when the response is fresh, or nil: it never is.
        public var expires: Timestamp? { expiresReading?.timestamp }

        /// The whole line, without its end.
        public var bytes: ArraySlice<UInt8> { window[range] }

        /// The text of a part of the line.
        ///
        /// - Parameter part: Bytes from the line's start, for example one of ``fields``.
        /// - Returns: The text.
        public func text(_ part: Range<Int>) -> String {
            withBytes(part) { String(decoding: $0, as: UTF8.self) }
        }

        /// Lends the bytes of a part of the line.
        ///
        /// - Parameters:
        ///   - part: Bytes from the line's start, for example one of ``fields``.
        ///   - body: What looks at them.
        /// - Returns: What the body returns.
        @inline(__always)
        public func withBytes<Value>(_ part: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
            precondition(part.lowerBound >= 0 && part.upperBound <= range.count, "\(part) of \(range.count) bytes")
            let start = range.lowerBound + part.lowerBound
            return window.withUnsafeBufferPointer {
                body(UnsafeBufferPointer(rebasing: $0[start..<(start + part.count)]))
            }
        }

        /// The URL as it stands in the line.
        public var urlText: String { text(parts.url) }

        /// The resource; made at each call.
        public var url: WebURL {
            switch address {
            case .normal(let form): withBytes(parts.url) { WebURL(form, bytes: $0) }
            case .parsed(let url): url
            }
        }

        /// The places of the URL's parts, in bytes from its start; nil where it isn't http or https with a domain name and
        /// in normal form, and where only parsing could tell.
        public var normalForm: WebURL.NormalForm? {
            guard case .normal(let form) = address else { return nil }
            return form
        }

        /// Whether the URL stands in the line as it is serialised.
        public var isURLNormal: Bool {
            switch address {
            case .normal: true
            case .parsed(let url): url.description == urlText
            }
        }

        /// The member that holds the body, or nil where the rule says it.
        public var member: String? {
            guard let part = parts.member, !withBytes(part, isNone) else { return nil }
            return text(part)
        }

        /// The media type of a line whose delimiter has split it, so that its parameter stands in the member's place.
        ///
        /// Nil where the fifth field isn't a parameter such as `charset=utf-8`.
        public var splitMediaType: String? {
            guard let mediaType, let member, !member.utf8.contains(UInt8(ascii: "/")),
                let whole = MediaType(mediaType + "; " + member), let type = MediaType(mediaType),
                whole.parameters.count == type.parameters.count + 1
            else { return nil }
            return whole.description
        }

        /// Whether the line names a media type, be it one or not.
        public var hasMediaTypeText: Bool { parts.mediaType.map { !withBytes($0, isNone) } ?? false }

        /// The whole entry; made at each call.
        public var entry: ManifestEntry {
            ManifestEntry(
                url: url,
                lastModified: lastModified,
                expires: expires,
                mediaType: mediaType,
                member: member
            )
        }

        /// Where the line is, for what is found in it.
        var place: LinePlace { LinePlace(number: line, offset: offset) }

        /// Whether another entry has the same URL.
        func hasURL(of other: ManifestReader.Item) -> Bool {
            withURLBytes { one in other.withURLBytes { ByteCursor.isEqual(one, $0) } }
        }

        /// Lends the bytes of the serialised URL.
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
    /// Whether both are the same entry at the same place.
    public static func == (one: ManifestReader.Item, other: ManifestReader.Item) -> Bool {
        one.place == other.place && one.fields == other.fields && one.bytes == other.bytes
    }
}

/// Whether a field says that there is nothing.
@inline(__always)
func isNone(_ field: UnsafeBufferPointer<UInt8>) -> Bool {
    guard field.count == 4 else { return field.isEmpty }
    return UnsafeRawPointer(field.baseAddress)?.loadUnaligned(as: UInt32.self) == UInt32(bigEndian: 0x4E55_4C4C)
}
