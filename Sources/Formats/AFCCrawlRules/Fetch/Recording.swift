internal import AFCCaching
public import AFCHTTP
public import AFCPackageFormat
public import AFCURL
public import HTTPTypes

/// Makes records and entries from responses: pure, so that what is kept and what isn't is told by tables.
public enum Recording {
    /// The record of a response.
    ///
    /// Left out are the fields that docs/format.md leaves out. Kept of the request are the fields that Vary names, without
    /// credentials.
    ///
    /// - Parameters:
    ///   - url: The resource.
    ///   - head: The response's head.
    ///   - sent: The request's fields.
    ///   - fetched: When the response was received.
    ///   - size: The bytes of the body, or nil for a redirect.
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
        ResourceRecord(
            url: url,
            status: head.status,
            fields: head.fields.packedFields,
            requestFields: requestFields(varying: head.fields, sent: sent),
            coding: size == nil ? nil : head.coding,
            fetched: fetched,
            size: size,
            sha256: sha256
        )
    }

    /// The manifest's line for a record with a body.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - maxAge: How long the resource is fresh after its Date, whatever the origin says, or nil: as the origin says.
    /// - Returns: The entry; the writer of the package names its member.
    public static func entry(for record: ResourceRecord, maxAge: Int64? = nil) -> ManifestEntry {
        ManifestEntry(
            url: record.url,
            lastModified: record.fields.value(of: .lastModified).flatMap { HTTPDate.parse($0) },
            expires: expires(record, maxAge: maxAge),
            mediaType: record.fields.value(of: .contentType).flatMap { MediaType($0)?.description }
        )
    }

    /// Until when a record's resource is fresh, or nil where nothing says it; see ``entry(for:maxAge:)``.
    package static func expires(_ record: ResourceRecord, maxAge: Int64?) -> Timestamp? {
        let date = record.fields.value(of: .date).flatMap { HTTPDate.parse($0) } ?? record.fetched
        if let maxAge, let date { return date + maxAge }
        return record.expiry
    }

    /// The record with the clock taken out: what two crawls of an unchanged site agree on.
    ///
    /// `fetched` and Date become the time, Age goes, and Expires stands as far after Date as `max-age` says, where there is
    /// one. See docs/format.md, "The same input gives the same bytes".
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
