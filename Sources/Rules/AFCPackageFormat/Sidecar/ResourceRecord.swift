package import AFCCaching
public import AFCHTTP
public import AFCText
public import AFCURL
public import HTTPTypes

/// One line of the sidecar: the data of a resource that has no field in the manifest.
public struct ResourceRecord: Hashable, Sendable {
    /// The reason why a line is not a record.
    public enum Malformation: Error, Equatable, Sendable {
        /// The line is not JSON; the offset counts bytes.
        case notJSON(offset: Int)
        /// The key is missing, or its value is not as documented in docs/reference/format.md.
        case badValue(key: String)
    }

    /// The URL of the resource.
    public var url: WebURL
    /// The final status, 200 to 599.
    public var status: Int
    /// The response fields, except those about the connection or the removed content coding.
    public var fields: HTTPFields
    /// The request fields that Vary names, as sent.
    public var requestFields: HTTPFields
    /// The content coding that was removed from the body.
    public var coding: String?
    /// The time when the response was received.
    public var fetched: Timestamp?
    /// The size of the body in bytes, or nil if the resource has no member.
    public var size: Int64?
    /// The SHA-256 of the body as 64 hexadecimal digits.
    public var sha256: String?
    /// What the origin's robots.txt said about the use of the response when it was fetched.
    package var robotsUsage = UsagePreferences()
    /// What a `meta` element of the page says about its use.
    package var pageUsage = UsagePreferences()

    /// Creates a record.
    public init(
        url: WebURL,
        status: Int = 200,
        fields: HTTPFields = HTTPFields(),
        requestFields: HTTPFields = HTTPFields(),
        coding: String? = nil,
        fetched: Timestamp? = nil,
        size: Int64? = nil,
        sha256: String? = nil
    ) {
        self.url = url
        self.status = status
        self.fields = fields
        self.requestFields = requestFields
        self.coding = coding
        self.fetched = fetched
        self.size = size
        self.sha256 = sha256
    }

    /// Removes fields that no package may have: those about a connection or one client, and credentials.
    public mutating func keepPackedFields() {
        fields = fields.packedFields
        requestFields = requestFields.without(.secret)
    }

    /// What the origin says about the use of the response, by where it says it.
    package var statedUsage: StatedUsage {
        var usage = StatedUsage(fields)
        (usage.robots, usage.page) = (robotsUsage, pageUsage)
        return usage
    }

    /// True if the record is a redirect with a target (RFC 9110 §15.4).
    public var isRedirect: Bool {
        [301, 302, 303, 307, 308].contains(status) && fields[.location] != nil
    }

    /// Reads one line.
    ///
    /// - Throws: ``Malformation`` if the line is not a record.
    public init(line: UnsafeBufferPointer<UInt8>) throws(Malformation) {
        let json: JSONValue
        do throws(JSONValue.SyntaxError) {
            json = try JSONValue(parsing: line)
        } catch {
            throw .notJSON(offset: error.offset)
        }
        guard let text = json["url"]?.string, text.utf8.count <= PackageLayout.urlByteLimit else {
            throw .badValue(key: "url")
        }
        do throws(WebURL.ParseError) {
            url = try WebURL(text)
        } catch {
            throw .badValue(key: "url")
        }
        guard let status = json["status"]?.integer, (200...599).contains(status), status != 206, status != 304 else {
            throw .badValue(key: "status")
        }
        self.status = Int(status)
        fields = try Self.fields(json, key: "fields")
        requestFields = try Self.fields(json, key: "requestFields")
        coding = json["coding"]?.string
        if let value = json["fetched"] {
            guard let text = value.string, let time = Timestamp(iso8601: text) else { throw .badValue(key: "fetched") }
            fetched = time
        }
        if let value = json["size"] {
            guard let bytes = value.integer, bytes >= 0 else { throw .badValue(key: "size") }
            size = bytes
        }
        if let value = json["sha256"] {
            guard let digest = value.string, digest.utf8.count == 64, digest.utf8.allSatisfy(Self.isHexDigit) else {
                throw .badValue(key: "sha256")
            }
            sha256 = digest.lowercased()
        }
        robotsUsage = UsagePreferences(text: json["robotsUsage"]?.string ?? "")
        pageUsage = UsagePreferences(text: json["pageUsage"]?.string ?? "")
    }

    /// Appends the record as one line, including its line end.
    public func write(to bytes: inout [UInt8]) {
        var members: [(String, JSONValue)] = [
            ("url", .string(url.description)),
            ("status", .number(String(status))),
            ("fields", Self.json(fields)),
        ]
        if !requestFields.isEmpty { members.append(("requestFields", Self.json(requestFields))) }
        if let coding { members.append(("coding", .string(coding))) }
        if let fetched { members.append(("fetched", .string(fetched.iso8601))) }
        if let size { members.append(("size", .number(String(size)))) }
        if let sha256 { members.append(("sha256", .string(sha256))) }
        if !robotsUsage.isEmpty { members.append(("robotsUsage", .string(robotsUsage.text))) }
        if !pageUsage.isEmpty { members.append(("pageUsage", .string(pageUsage.text))) }
        JSONValue.object(members).write(to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Returns fields as a JSON array of pairs, with names in lower case.
    public static func json(_ fields: HTTPFields) -> JSONValue {
        .array(fields.map { .array([.string($0.name.canonicalName), .string($0.value)]) })
    }

    /// Reads fields from a JSON array of pairs.
    ///
    /// - Throws: ``Malformation`` if the key has a value that isn't an array of valid fields.
    public static func fields(_ json: JSONValue, key: String) throws(Malformation) -> HTTPFields {
        var fields = HTTPFields()
        guard let value = json[key] else { return fields }
        guard let pairs = value.array else { throw .badValue(key: key) }
        for pair in pairs {
            guard let parts = pair.array, parts.count == 2, let nameText = parts[0].string, let text = parts[1].string,
                let name = HTTPField.Name(nameText), HTTPField.isValidValue(text)
            else { throw .badValue(key: key) }
            fields.append(HTTPField(name: name, value: text))
        }
        return fields
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
