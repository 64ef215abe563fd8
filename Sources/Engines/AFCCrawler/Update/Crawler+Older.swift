internal import AFCCaching
internal import AFCCrawlRules
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCZip
internal import HTTPTypes

/// What an older package's resource becomes, by what its origin answers.
extension Crawler {
    /// The resource as it stands after a 304, or nil where its body is damaged.
    func standing(
        _ resource: OlderPackage.Resource,
        _ head: FetchHead,
        _ item: CrawlItem,
        _ older: OlderPackage
    ) -> Meaning? {
        guard let member = resource.member else { return nil }
        return taken(over: renewed(resource.record, by: head), member, item, older)
    }

    /// The record with the fields of a 304 (RFC 9111 §3.2).
    func renewed(_ record: ResourceRecord, by head: FetchHead) -> ResourceRecord {
        var record = record
        if head.fields.repeats(record.fields) {
            if let date = head.fields.value(of: .date) { record.fields[.date] = date }
        } else {
            record.fields.update(with: head.fields.packedFields)
        }
        record.fetched = options.now()
        return pinned(record)
    }

    /// What came, compared with what the older package has: equal bodies are copied from there, and what couldn't be got
    /// stays unless its origin says that it is gone.
    func compared(
        _ outcome: FetchOutcome,
        with resource: OlderPackage.Resource,
        _ item: CrawlItem,
        _ older: OlderPackage
    ) -> FetchOutcome {
        var outcome = outcome
        switch outcome.content {
        case .resource(let record, _, let references):
            let isSame = resource.record.sha256 == record.sha256 && resource.record.size == record.size
            outcome.change = isSame ? .unchanged : .changed
            if isSame, let member = resource.member, let body = older.soundBody(member: member) {
                outcome.content = .resource(record, body, references)
            }
        case .redirect(let record, _):
            let isSame = resource.member == nil && resource.record.status == record.status
            outcome.change =
                isSame && resource.record.fields[.location] == record.fields[.location] ? .unchanged : .changed
        case .failure(let reason) where !reason.isGone:
            guard let member = resource.member, let meaning = taken(over: resource.record, member, item, older),
                case .resource(let record, let body, let references) = meaning.content
            else { break }
            outcome.take(meaning)
            outcome.content = .kept(record, body, reason, references)
            outcome.change = .unchanged
        default: break
        }
        return outcome
    }

    /// Whether the older package has the same body, and says the same of it but for when it came.
    func isAsBefore(_ content: FetchOutcome.Content, _ resource: OlderPackage.Resource) -> Bool {
        switch content {
        case .resource(let record, let body, _):
            guard case .older = body.place else { return false }
            return isAsBefore(record, resource.record)
        case .kept: return true
        case .redirect(let record, _): return resource.member == nil && isAsBefore(record, resource.record)
        case .failure, .again, .notModified, .planned, .leftOut: return false
        }
    }

    /// Whether a 304 plainly says nothing new: its fields are those of the record, and none of them moves with its Date.
    func isOnlySeenAgain(_ record: ResourceRecord, by head: FetchHead) -> Bool {
        options.maxAge == nil && !record.fields.contains(.expires) && !record.fields.contains(.cacheControl)
            && head.fields.repeats(record.fields)
    }

    func isAsBefore(_ record: ResourceRecord, _ older: ResourceRecord) -> Bool {
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

    private func taken(
        over record: ResourceRecord,
        _ member: Int,
        _ item: CrawlItem,
        _ older: OlderPackage
    ) -> Meaning? {
        let isSearched = PageReferences.isSearched(record.fields, item)
        guard let body = older.body(member: member) else { return nil }
        let size = body.size
        let isUnread = isSearched && size > Int64(BodyCollector.textInMemory) && !options.isDryRun
        let limit = isSearched && !isUnread ? BodyCollector.textLimit : 0
        guard let text = older.checkedText(member: member, limit: limit) else { return nil }
        guard !isUnread else { return Meaning(.resource(record, body, []), isUnread: true) }
        let page = references(in: text, of: item, fields: record.fields, isCut: size > Int64(text.count))
        if options.isDryRun { return Meaning(.planned(page.found), of: page) }
        if let rule = page.leftOut { return Meaning(.leftOut(rule, page.found), of: page) }
        return Meaning(.resource(record, body, page.found), of: page)
    }
}

extension HTTPFields {
    /// Whether every field but those of time, and of the connection, has one line, and stands just so in others.
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

extension FetchFailure {
    /// Whether the origin says that there is no such resource (RFC 9110 §15.5.5, §15.5.11).
    fileprivate var isGone: Bool {
        if case .status(let status, _) = self { return status == 404 || status == 410 }
        return false
    }
}
