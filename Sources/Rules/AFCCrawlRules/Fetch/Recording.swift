internal import AFCCaching
public import AFCHTTP
public import AFCPackageFormat
public import AFCURL
public import HTTPTypes

/// Converts responses into records and entries; pure, so that tables can test it.
public enum Recording {
    /// The answer that a recording keeps if a URL has several.
    public enum Keep: String, Sendable, CaseIterable {
        /// The last one.
        case last
        /// The first one.
        case first
        /// All that differ from the one before, in their order.
        case all
        /// None: if two differ, no package is written.
        case fail
    }

    /// Returns the record of a response.
    ///
    /// docs/reference/format.md lists the response fields that are left out. Of the request, the record has the fields
    /// that Vary names, except for credentials.
    ///
    /// - Parameters:
    ///   - url: The resource.
    ///   - head: The response's head.
    ///   - sent: The request's fields.
    ///   - fetched: The time at which the response was received.
    ///   - size: The size of the body in bytes, or nil for a redirect.
    ///   - sha256: The body's digest, or nil for a redirect.
    /// - Returns: The record, not yet pinned.
    public static func record(
        of url: WebURL,
        head: FetchHead,
        sent: HTTPFields,
        fetched: Timestamp,
        size: Int64? = nil,
        sha256: String? = nil
    ) -> ResourceRecord {
        var fields = head.fields.packedFields
        for name in [HTTPField.Name.location, .lastModified, .eTag, .date, .expires] { fields.removeRepeats(of: name) }
        return ResourceRecord(
            url: url,
            status: head.status,
            fields: fitting(fields),
            requestFields: requestFields(varying: head.fields, sent: sent),
            coding: size == nil ? nil : head.coding,
            fetched: fetched,
            size: size,
            sha256: sha256
        )
    }

    /// Returns fields that fit a line of the package, which has at most 64 KiB; the longest are left out first.
    ///
    /// The URL and the rest of the record need some room, too.
    private static func fitting(_ fields: HTTPFields) -> HTTPFields {
        /// The bytes of a field in JSON; those that begin a character that may be escaped count as an escape.
        func cost(_ field: HTTPField) -> Int {
            field.value.utf8.reduce(field.name.rawName.utf8.count + 8) { count, byte in
                switch byte {
                case 0..<0x20, 0x22, 0x5C: count + 2
                case 0xC2, 0xE2: count + 6
                default: count + 1
                }
            }
        }
        var fields = fields
        var total = fields.reduce(0) { $0 + cost($1) }
        while total > fieldByteLimit, let place = fields.indices.max(by: { cost(fields[$0]) < cost(fields[$1]) }) {
            total -= cost(fields[place])
            fields.remove(at: place)
        }
        return fields
    }

    /// The most bytes of a record's fields.
    private static let fieldByteLimit = 40 << 10

    /// Returns the manifest entry for a record with a body.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - maxAge: The freshness lifetime after the Date, in seconds, or nil for the origin's.
    /// - Returns: The entry without the name of its member, which the package writer adds.
    public static func entry(for record: ResourceRecord, maxAge: Int64? = nil) -> ManifestEntry {
        ManifestEntry(
            url: record.url,
            lastModified: record.fields.value(of: .lastModified).flatMap { HTTPDate.parse($0) },
            expires: expires(record, maxAge: maxAge),
            mediaType: record.fields.value(of: .contentType).flatMap { MediaType($0)?.description }
        )
    }

    /// Returns the end of a record's freshness, or nil if it is unstated; see ``entry(for:maxAge:)``.
    package static func expires(_ record: ResourceRecord, maxAge: Int64?) -> Timestamp? {
        let date = record.fields.value(of: .date).flatMap { HTTPDate.parse($0) } ?? record.fetched
        if let maxAge, let date { return date + maxAge }
        return record.expiry
    }

    /// Returns the record without the clock's times, so that two crawls of an unchanged site give the same record.
    ///
    /// `fetched` and Date become the given time, Age is removed, and Expires is set to Date plus `max-age`, if there is
    /// one. See docs/reference/format.md, "The same input gives the same bytes".
    public static func pinned(_ record: ResourceRecord, to time: Timestamp) -> ResourceRecord {
        var record = record
        record.fetched = time
        let lifetime = CacheControl(record.fields).maxAge
        record.fields[.age] = nil
        if record.fields.value(of: .date) != nil { record.fields[.date] = HTTPDate.format(time) }
        if record.fields.value(of: .expires) != nil, let lifetime {
            record.fields[.expires] = HTTPDate.format(time + lifetime)
        }
        return record
    }

    package static func requestFields(varying fields: HTTPFields, sent: HTTPFields) -> HTTPFields {
        var result = HTTPFields()
        let names = fields[values: .vary].flatMap { $0.split(separator: ",") }
            .compactMap { HTTPField.Name(String($0.filter { $0 != " " && $0 != "\t" })) }
        var seen: Set<HTTPField.Name> = []
        for name in names where !FieldPolicy.traits(of: name).contains(.secret) && seen.insert(name).inserted {
            for value in sent[values: name] { result.append(HTTPField(name: name, value: value)) }
        }
        return result
    }
}
