internal import AFCHTTP
internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import AFCZip
internal import Crypto
internal import HTTPTypes

/// A resource as a record of a web archive.
struct ArchivedResponse {
    /// The time when the response was received.
    let date: Timestamp
    /// The record's ID.
    let id: String
    /// The size of the body in bytes.
    let size: Int64
    /// The media type.
    let type: MediaType?
    /// True for a page that a reader may open.
    let isPage: Bool
    private let url: WebURL
    private let status: Int
    private let contentType: String?
    private let digest: String
    private let fields: HTTPFields
    private let message: [UInt8]

    /// Describes a resource.
    ///
    /// - Parameters:
    ///   - resource: The resource.
    ///   - package: Its package.
    ///   - created: The date of a response without one.
    /// - Throws: `PackageError` if a body without a record is damaged.
    init(_ resource: PackageIndex.Resource, of package: PackageReader, created: Timestamp) throws {
        url = resource.url
        let record = resource.record
        status = record?.status ?? 200
        var fields = record?.fields ?? HTTPFields()
        let sha256: String
        if let member = resource.member.map({ package.archive.members[$0] }) {
            size = member.uncompressedSize
            if let stated = record?.sha256 {
                sha256 = stated
            } else {
                var hash = SHA256()
                try package.readBody(of: resource) { hash.update(bufferPointer: $0) }
                sha256 = Hexadecimal.text(Array(hash.finalize()))
            }
        } else {
            (size, sha256) = (0, Hexadecimal.text(Array(SHA256.hash(data: [UInt8]()))))
        }
        digest = "sha256:" + sha256
        if fields[.contentType] == nil, let type = resource.entry?.mediaType { fields[.contentType] = type }
        if fields[.lastModified] == nil, let time = resource.entry?.lastModified {
            fields[.lastModified] = HTTPDate.format(time)
        }
        if fields[.expires] == nil, record == nil, let time = resource.entry?.expires {
            fields[.expires] = HTTPDate.format(time)
        }
        fields[.contentLength] = String(size)
        date =
            record?.fetched ?? fields[.date].flatMap { HTTPDate.parse($0) } ?? package.index.info?.created
            ?? created
        contentType = fields[.contentType]
        type = contentType.flatMap { MediaType($0) }
        isPage = resource.member != nil && status == 200 && type?.isPage == true
        var text = "HTTP/1.1 \(status) \(StatusReason.text(status))\r\n"
        for field in fields { text += "\(field.name.rawName): \(field.value)\r\n" }
        self.fields = fields
        message = Array((text + "\r\n").utf8)
        id = RecordID.text(of: [url.description, WARCDate.text(date), digest])
    }

    /// A short ID, for lists of pages.
    var shortID: String { String(id.dropFirst("<urn:uuid:".count).prefix(18)) }

    /// The head of the response, which begins a record's block.
    var beginning: [UInt8] { message }

    /// Returns the head of a record with the response.
    ///
    /// - Parameter blockDigest: The digest of the block; nil if it isn't known.
    /// - Returns: The head.
    func record(_ blockDigest: String?) -> [UInt8] {
        Self.head(
            common("response", blockDigest) + [("Content-Length", String(Int64(message.count) + size))]
        )
    }

    /// Returns the head of a record that says that the body is that of another record (WARC 1.1, §6.7.2).
    ///
    /// - Parameters:
    ///   - other: The ID of that record.
    ///   - otherURL: Its URL.
    ///   - otherDate: Its date.
    ///   - blockDigest: The digest of the block.
    /// - Returns: The head.
    func revisit(ofID other: String, _ otherURL: WebURL, _ otherDate: String, _ blockDigest: String?) -> [UInt8] {
        Self.head(
            common("revisit", blockDigest) + [
                ("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"),
                ("WARC-Refers-To", other), ("WARC-Refers-To-Target-URI", otherURL.description),
                ("WARC-Refers-To-Date", otherDate), ("Content-Length", String(message.count)),
            ]
        )
    }

    private func common(_ kind: String, _ blockDigest: String?) -> [(name: String, value: String)] {
        [
            ("WARC-Type", kind), ("WARC-Record-ID", id), ("WARC-Target-URI", url.description),
            ("WARC-Date", WARCDate.text(date)), ("WARC-Payload-Digest", digest),
        ] + (blockDigest.map { [("WARC-Block-Digest", $0)] } ?? []) + [
            ("Content-Type", "application/http; msgtype=response")
        ]
    }

    /// Returns the parts of an entry of a HAR before and behind its body, which is in base 64 (HAR 1.2).
    ///
    /// - Parameter hasBody: False for a response whose body isn't known.
    /// - Returns: Two parts of a JSON object.
    func har(hasBody: Bool) -> (beginning: String, end: String) {
        func text(_ value: String) -> String { JSONValue.string(value).serialized }
        let headers = fields.map { "{\"name\":\(text($0.name.rawName)),\"value\":\(text($0.value))}" }
        let rest = "\"cookies\":[],\"headersSize\":-1"
        let beginning =
            "{\"startedDateTime\":\(text(WARCDate.text(date))),\"time\":0,\"request\":{\"method\":\"GET\",\"url\":"
            + "\(text(url.description)),\"httpVersion\":\"HTTP/1.1\",\"headers\":[],\"queryString\":[],\"bodySize\":0,\(rest)},"
            + "\"response\":{\"status\":\(status),\"statusText\":\(text(StatusReason.text(status))),\"httpVersion\":\"HTTP/1.1\","
            + "\"headers\":[\(headers.joined(separator: ","))],\"redirectURL\":\(text(hasBody ? "" : fields[.location] ?? "")),"
            + "\"bodySize\":\(size),\(rest),\"content\":{\"size\":\(size),\"mimeType\":\(text(contentType ?? "x-unknown")),"
            + "\"encoding\":\"base64\",\"text\":\""
        return (beginning, "\"}},\"cache\":{},\"timings\":{\"send\":0,\"wait\":0,\"receive\":0}}")
    }

    /// A response in an index.
    struct Entry {
        /// The response.
        let response: ArchivedResponse
        /// The place of its record.
        let extent: (offset: Int64, size: Int64)
        /// Whether the record has no body of its own.
        let isRevisit: Bool

        /// Returns the entry as JSON, in the form in which other programs write it.
        ///
        /// - Parameter file: The name of the file of records.
        /// - Returns: The object.
        func json(file: String) -> String {
            var members = [("url", response.url.description)]
            let type = response.contentType.map { String($0.prefix { $0 != ";" && !$0.isWhitespace }) }
            if let mime = isRevisit ? "warc/revisit" : type, !mime.isEmpty { members.append(("mime", mime)) }
            members += [
                ("status", String(response.status)), ("digest", response.digest), ("length", String(extent.size)),
                ("offset", String(extent.offset)), ("filename", file),
            ]
            return "{" + members.map { "\"\($0.0)\": \(JSONValue.string($0.1).serialized)" }.joined(separator: ", ")
                + "}"
        }
    }

    /// Returns the head of a record.
    static func head(_ fields: [(name: String, value: String)]) -> [UInt8] {
        Array(("WARC/1.1\r\n" + fields.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n").utf8)
    }
}

/// Times in web archives.
enum WARCDate {
    /// Returns a time as WARC 1.1 has it (§5.4).
    static func text(_ time: Timestamp) -> String { time.iso8601 }

    /// Returns the 14 digits of a time in an index.
    static func digits(_ time: Timestamp) -> String { time.iso8601.filter(\.isNumber) }
}

/// IDs of records that depend only on what the records are.
enum RecordID {
    /// Returns a UUID of version 8 (RFC 9562 §5.8), as a URI in brackets.
    static func text(of parts: [String]) -> String {
        var bytes = Array(SHA256.hash(data: Array(parts.joined(separator: "\n").utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Hexadecimal.text(bytes)
        var text = ""
        for (place, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(place) { text += "-" }
            text.append(digit)
        }
        return "<urn:uuid:\(text)>"
    }
}
