internal import AFCCaching
internal import AFCCrawlRules
internal import AFCHTTP
internal import AFCPackageFormat
internal import HTTPTypes

/// Compares an origin's response with an older package; pure.
struct OlderComparison: Sendable {
    private let options: CrawlOptions

    init(_ options: CrawlOptions) { self.options = options }

    /// Returns true if a 304 speaks of the record's response, judged by its validators (RFC 9111 §4.3.4).
    ///
    /// An origin that has changed in between may answer with the new validator, which must not be recorded with the old
    /// body. A 304 without validators confirms the response that the request asked about.
    func isConfirmed(_ record: ResourceRecord, by head: FetchHead) -> Bool {
        if head.fields.contains(.eTag) {
            guard let tag = head.fields.singleValue(of: .eTag), let old = record.fields.singleValue(of: .eTag) else {
                return false
            }
            guard tag != old else { return true }
            guard let one = EntityTag(tag), let other = EntityTag(old) else { return false }
            return one.weakMatches(other)
        }
        guard let date = head.fields.singleValue(of: .lastModified), !record.fields.contains(.eTag) else { return true }
        guard let old = record.fields.singleValue(of: .lastModified) else { return false }
        return date == old || HTTPDate.parse(date) != nil && HTTPDate.parse(date) == HTTPDate.parse(old)
    }

    /// Returns the record updated with the fields of a 304 (RFC 9111 §3.2).
    ///
    /// The fields that describe the stored body stay as they are: another charset would change what it says.
    func renewed(_ record: ResourceRecord, by head: FetchHead, at now: Timestamp) -> ResourceRecord {
        var record = record
        if head.fields.repeats(record.fields) {
            if let date = head.fields.value(of: .date) { record.fields[.date] = date }
        } else {
            var fields = head.fields.packedFields
            for name in [HTTPField.Name.contentType, .contentEncoding, .contentRange] { fields[name] = nil }
            record.fields.update(with: fields)
        }
        record.fetched = now
        return options.pinned(record)
    }

    /// Returns the change of a resource, or nil if it wasn't received.
    func change(of content: FetchOutcome.Content, since resource: OlderPackage.Resource) -> CrawlReport.Change? {
        let older = resource.record
        switch content {
        case .resource(let record, _, _):
            return older.sha256 == record.sha256 && older.size == record.size ? .unchanged : .changed
        case .redirect(let record, _):
            let isSame = resource.member == nil && older.status == record.status
            return isSame && older.fields[.location] == record.fields[.location] ? .unchanged : .changed
        case .kept, .failure, .again, .notModified, .planned, .leftOut: return nil
        }
    }

    /// Returns true if the older package has the same body and, except for its times, the same record.
    func isUnchanged(_ content: FetchOutcome.Content, _ resource: OlderPackage.Resource) -> Bool {
        switch content {
        case .resource(let record, let body, _):
            guard case .older = body.place else { return false }
            return isUnchanged(record, resource.record)
        case .kept: return true
        case .redirect(let record, _): return resource.member == nil && isUnchanged(record, resource.record)
        case .failure, .again, .notModified, .planned, .leftOut: return false
        }
    }

    /// Returns true if two records are equal except for their times.
    func isUnchanged(_ record: ResourceRecord, _ older: ResourceRecord) -> Bool {
        guard Recording.expires(record, maxAge: options.maxAge) == Recording.expires(older, maxAge: options.maxAge)
        else {
            return false
        }
        var (record, older) = (record, older)
        older.fetched = record.fetched
        for name in [HTTPField.Name.date, .age] {
            record.fields[name] = nil
            older.fields[name] = nil
        }
        return record == older
    }

    /// Returns true if a 304 adds nothing: it repeats the record's fields, and none of them depends on its Date.
    func isOnlySeenAgain(_ record: ResourceRecord, by head: FetchHead) -> Bool {
        options.maxAge == nil && !record.fields.contains(.expires) && !record.fields.contains(.cacheControl)
            && head.fields.repeats(record.fields)
    }
}

extension HTTPFields {
    /// Returns true if each field, except those of time and connection, is a single line that the others repeat.
    fileprivate func repeats(_ others: HTTPFields) -> Bool {
        var seen = 0
        for field in self {
            switch field.name {
            case .date: seen += 1
            case .connection: guard field.value.lowercased() == "keep-alive" else { return false }
            case .age: return false
            default:
                let isOnce = count(of: field.name) == 1 && others.count(of: field.name) == 1
                guard isOnce, others.contains(field) else { return false }
            }
        }
        return seen <= 1
    }

    private func count(of name: HTTPField.Name) -> Int { count { $0.name == name } }
}
