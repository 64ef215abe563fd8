internal import AFCCache
internal import AFCHTTP
internal import AFCText

extension PackagedSites {
    /// The most bytes of two bodies without a digest that are compared.
    private static let comparedBytes = 16 << 20

    /// A page that isn't the same in two versions.
    private struct Change {
        var word: String
        var url: String
        var size: Int64
    }

    /// Compares two versions: the tool `changes`.
    ///
    /// Only pages count: an image or a style sheet says nothing to those who read texts.
    ///
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - isCancelled: Returns whether nobody waits any more.
    /// - Returns: The result.
    /// - Throws: ``ToolRefusal`` or `CacheError`; `CancellationError`.
    func changes(_ arguments: ToolArguments, isCancelled: () -> Bool) throws -> ToolResult {
        let (old, new) = try compared(arguments)
        let subject = [PackageVersion(old).description, PackageVersion(new).description]
        let place = try AnswerCursor.place(of: arguments.text("cursor"), Tool.changes.rawValue, subject)
        let start = place.flatMap { Int($0) } ?? 0
        let limit = arguments.number("limit") ?? Tool.Limits.defaultRows
        var counts: [String: Int] = [:]
        var (number, rows): (Int, [Change]) = (0, [])
        try compare(old, new, isCancelled: isCancelled) { change in
            counts[change?.word ?? "equal", default: 0] += 1
            guard let change else { return }
            if number >= start, rows.count < limit { rows.append(change) }
            number += 1
        }
        func count(_ word: String) -> JSONValue { .number(String(counts[word] ?? 0)) }
        var structure: [(String, JSONValue)] = [
            ("from", .object(old.versionMembers)), ("to", .object(new.versionMembers)), ("added", count("added")),
            ("removed", count("removed")), ("changed", count("changed")), ("equal", count("equal")),
            (
                "changes",
                .array(
                    rows.map { row in
                        .object([
                            ("change", .string(row.word)), ("url", .string(row.url)),
                            ("size", .number(String(row.size))),
                        ])
                    }
                )
            ),
        ]
        var said = [
            "From version \(PackageVersion(old)), packaged \(old.date.iso8601), to version \(PackageVersion(new)), "
                + "packaged \(new.date.iso8601): \(counts["added"] ?? 0) pages added, \(counts["removed"] ?? 0) removed, "
                + "\(counts["changed"] ?? 0) changed, \(counts["equal"] ?? 0) equal."
        ]
        if start + rows.count < number {
            let cursor = AnswerCursor(Tool.changes.rawValue, subject, at: String(start + rows.count)).text
            structure.append(("cursor", .string(cursor)))
            said.append("More follow; continue with \"cursor\": \"\(cursor)\".")
        }
        let lines = rows.map { "\($0.word) \(PrintableText.escaped($0.url))" }
        let quoted = lines.isEmpty ? nil : lines.joined(separator: "\n")
        return ToolResult(said: said, quoted: quoted, structure: .object(structure))
    }

    /// Returns the two versions that a call names.
    private func compared(_ arguments: ToolArguments) throws -> (CurrentGeneration, CurrentGeneration) {
        if let old = try kept(arguments.text("from")), let new = try kept(arguments.text("to")) {
            return (old, new)
        }
        guard arguments.text("from") == nil, arguments.text("to") == nil else {
            throw ToolRefusal("'from' and 'to' belong together")
        }
        let all = try store.currentGenerations()
        var chosen = try generation(arguments.text("package"))
        if chosen == nil, all.count == 1 { chosen = all[0] }
        if chosen == nil, all.count == 2, all.allSatisfy(\.isMounted),
            !Set(all[0].origins).isDisjoint(with: all[1].origins)
        {
            let sorted = all.sorted { $0.date < $1.date }
            return (sorted[0], sorted[1])
        }
        guard let chosen else {
            let names = all.prefix(20).map { "\(PackageVersion($0))" }.joined(separator: ", ")
            throw ToolRefusal("name a 'package', or two versions with 'from' and 'to'; there are \(names)")
        }
        guard let previous = try store.earlierGenerations(of: chosen.package).first else {
            throw ToolRefusal(
                "there is no previous version of \(PrintableText.quoted(chosen.package)); name two versions with 'from' "
                    + "and 'to'"
            )
        }
        return (previous, chosen)
    }

    /// Returns the version that a text names, which may be an earlier one that is kept.
    private func kept(_ text: String?) throws -> CurrentGeneration? {
        guard let text else { return nil }
        let wanted = PackageVersion(text)
        if !wanted.digest.isEmpty,
            let current = try store.currentGenerations().first(where: { $0.package == wanted.package }),
            !current.digest.hasPrefix(wanted.digest)
        {
            let earlier = try store.earlierGenerations(of: wanted.package)
            if let found = earlier.first(where: { $0.digest.hasPrefix(wanted.digest) }) { return found }
        }
        return try generation(text)
    }

    /// Compares the pages of two generations in the order of their URLs.
    ///
    /// - Parameters:
    ///   - old: The older generation.
    ///   - new: The newer one.
    ///   - isCancelled: Returns whether nobody waits any more.
    ///   - report: Takes each difference, and nil for each page that is the same.
    /// - Throws: `CacheError` if a generation can't be read; `CancellationError`.
    private func compare(
        _ old: CurrentGeneration,
        _ new: CurrentGeneration,
        isCancelled: () -> Bool,
        _ report: (Change?) -> Void
    ) throws {
        var (olds, news) = (try PageCursor(old), try PageCursor(new))
        while olds.first != nil || news.first != nil {
            guard !isCancelled() else { throw CancellationError() }
            let order = PageCursor.order(olds.first?.url, news.first?.url)
            switch (order <= 0 ? olds.first : nil, order >= 0 ? news.first : nil) {
            case (let one?, let other?):
                let isEqual = try Self.isEqual(one, in: old, other, in: new)
                report(isEqual ? nil : Change(word: "changed", url: other.url, size: other.size))
            case (let one?, nil): report(Change(word: "removed", url: one.url, size: one.size))
            case (nil, let other?): report(Change(word: "added", url: other.url, size: other.size))
            case (nil, nil): break
            }
            if order <= 0 { try olds.advance() }
            if order >= 0 { try news.advance() }
        }
    }

    private static func isEqual(
        _ one: CurrentGeneration.Resource,
        in old: CurrentGeneration,
        _ other: CurrentGeneration.Resource,
        in new: CurrentGeneration
    ) throws(CacheError) -> Bool {
        guard one.size == other.size else { return false }
        if !one.digest.isEmpty, !other.digest.isEmpty { return one.digest == other.digest }
        return try old.body(of: one, limit: comparedBytes) == new.body(of: other, limit: comparedBytes)
    }
}
