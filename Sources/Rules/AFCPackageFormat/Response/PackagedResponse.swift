internal import AFCCaching
public import AFCHTTP
public import HTTPTypes

extension PackageIndex {
    /// Returns the name of the field in which an entry differs from the record of the same URL, or nil if they agree.
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

    /// Returns the response fields with which a resource is served, combined from manifest and sidecar.
    ///
    /// The manifest wins where they disagree. A response without Date gets the package's, so that its age counts from
    /// when the package was made and not from when it was loaded. Fields that are not allowed in packages are left out,
    /// even if the package has them. See docs/reference/format.md.
    ///
    /// - Parameters:
    ///   - resource: A resource of this package.
    ///   - packageDate: The time when the package was made.
    /// - Returns: The fields, including Date.
    public static func responseFields(of resource: Resource, packageDate: Timestamp) -> HTTPFields {
        var fields = resource.record?.fields.packedFields ?? HTTPFields()
        if let usage = resource.record?.statedUsage { fields.append(contentsOf: usage.keptFields) }
        if fields.value(of: .date) == nil {
            fields[.date] = HTTPDate.format(resource.record?.fetched ?? packageDate)
        }
        guard let entry = resource.entry else { return fields }
        // The origin sent a recorded response without a type that way, and browsers then detect the type themselves.
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
    /// The request fields that Vary names, except secret ones; nil if the package has no record.
    public var requestFields: HTTPFields? { record?.requestFields.without(.secret) }
}

extension ResourceRecord {
    /// The time until which the response is fresh by its own fields, or nil if they don't say (RFC 9111 §4.2.1).
    public var expiry: Timestamp? {
        Self.expiry(fields: fields, received: fetched)
    }

    /// Returns the time until which a response with these fields is fresh, or nil if they don't say (RFC 9111 §4.2.1).
    ///
    /// - Parameters:
    ///   - fields: The response fields.
    ///   - received: The time when the response was received, used if Date is missing.
    /// - Returns: The time, or nil.
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
    /// Removes the Cache-Control directives that say how long a response is fresh.
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
