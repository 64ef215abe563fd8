internal import AFCCaching
public import AFCHTTP
public import HTTPTypes

extension PackageIndex {
    /// Which value of a manifest's entry differs from the record of the same URL, or nil where they agree.
    static func disagreement(of entry: ManifestEntry, with record: ResourceRecord) -> String? {
        if let type = entry.mediaType, let recorded = record.fields.value(of: .contentType),
            recorded != type, MediaType(recorded)?.description != type
        {
            return "mimetype"
        }
        if let date = entry.lastModified, let recorded = record.fields.value(of: .lastModified),
            LenientDate.parse(recorded)?.timestamp != date
        {
            return "last-modified"
        }
        if let date = entry.expires, let recorded = record.expiry, recorded != date { return "expires" }
        return nil
    }

    /// The response fields with which a resource is served, manifest and sidecar put together.
    ///
    /// The manifest wins where they disagree. A response without Date gets the package's, so that its age counts from
    /// when it was made and not from when it was loaded. Fields that no package may have are left out, whoever made the
    /// package. See docs/format.md.
    ///
    /// - Parameters:
    ///   - resource: A resource of this package.
    ///   - packageDate: When the package was made.
    /// - Returns: The fields, with Date.
    public static func responseFields(of resource: Resource, packageDate: Timestamp) -> HTTPFields {
        var fields = resource.record?.fields.packedFields ?? HTTPFields()
        if fields.value(of: .date) == nil {
            fields[.date] = HTTPDate.format(resource.record?.fetched ?? packageDate)
        }
        guard let entry = resource.entry else { return fields }
        // A recorded response without a type came without one, and browsers look at its bytes then.
        let unknown = resource.record == nil ? "application/octet-stream" : nil
        fields[.contentType] = entry.mediaType ?? fields[.contentType] ?? unknown
        if let date = entry.lastModified { fields[.lastModified] = HTTPDate.format(date) }
        if entry.expires != resource.record?.expiry || fields.value(of: .expires) == nil {
            fields[.expires] = entry.expires.map(HTTPDate.format)
            if entry.expires != resource.record?.expiry { fields.removeFreshnessDirectives() }
        }
        return fields
    }
}

extension PackageIndex.Resource {
    /// The request fields that Vary names, without secret ones; nil where the package doesn't say.
    public var requestFields: HTTPFields? { record?.requestFields.without(.secret) }
}

extension ResourceRecord {
    /// Until when the response is fresh by its own fields, or nil where they say nothing (RFC 9111 §4.2.1).
    public var expiry: Timestamp? {
        Self.expiry(fields: fields, received: fetched)
    }

    /// Until when a response with these fields is fresh, or nil where they say nothing (RFC 9111 §4.2.1).
    ///
    /// - Parameters:
    ///   - fields: The response's fields.
    ///   - received: When it was received; stands for a missing Date.
    /// - Returns: The point in time, or nil.
    public static func expiry(fields: HTTPFields, received: Timestamp?) -> Timestamp? {
        let date = fields.value(of: .date).flatMap { HTTPDate.parse($0) } ?? received
        if let maxAge = CacheControl(fields).maxAge, let date {
            let age = fields.value(of: .age).flatMap { Int64($0) } ?? 0
            return date + (maxAge - max(0, min(age, maxAge)))
        }
        return fields.value(of: .expires).flatMap { HTTPDate.parse($0) }
    }
}

extension HTTPFields {
    /// Takes out of Cache-Control what says how long a response is fresh.
    fileprivate mutating func removeFreshnessDirectives() {
        let kept = self[values: .cacheControl].map { line in
            line.split(separator: ",")
                .filter { directive in
                    let name = directive.prefix { $0 != "=" }.filter { $0 != " " && $0 != "\t" }.lowercased()
                    return name != "max-age" && name != "s-maxage"
                }
                .joined(separator: ",")
        }
        self[values: .cacheControl] = kept.filter { $0.contains { $0 != " " } }
    }
}
