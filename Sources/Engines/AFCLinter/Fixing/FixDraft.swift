internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCURL

/// A manifest that is being rewritten.
struct FixDraft {
    /// Decisions for all lines that can be made only when all of them are read.
    struct Decisions: Equatable {
        /// True if lines of two and three fields are extended to four, because the manifest also has longer ones.
        var raises: Bool
        /// Lines whose URL is kept because another line disagrees.
        var disputed: Set<Int> = []
        /// True to also make changes that another reader may read differently.
        let allowsUnsafe: Bool
        /// The number of lines of two and three fields that stay unchanged among longer ones.
        let short: Int

        init(_ lines: ManifestLines, allowsUnsafe: Bool) {
            self.allowsUnsafe = allowsUnsafe
            var (short, hasLong) = (0, false)
            for line in lines {
                guard case .entry(let fields) = line.content else { continue }
                if fields.count < 4 { short += 1 } else { hasLong = true }
            }
            raises = allowsUnsafe && short > 0 && hasLong
            self.short = hasLong && !allowsUnsafe ? short : 0
        }
    }

    private(set) var mended: [ManifestDefect: Int] = [:]
    /// The number of defects that only unsafe fixes would fix.
    private(set) var withheld = 0
    private let manifest: [UInt8]
    private let decisions: Decisions
    private var lines = FixedLines()
    /// The number of lines with errors, by rule.
    private var errors: [String: Int] = [:]
    private var unsorted = 0
    private var baseURL: String?
    private var disputed: Set<Int> = []
    private var needsRaise = false
    /// True if lines keep their order because one of them can't be parsed reliably.
    private var keepsOrder = false
    /// True if the manifest isn't text that can be split into lines.
    private var isForeign = false
    /// The new URLs of rewritten lines, by line number.
    private var rewritten: [Int: String] = [:]
    /// The fields of lines that others repeat, by line number.
    private var repeated: [Int: ManifestLine.Fields] = [:]

    init(_ manifest: [UInt8], decisions: Decisions) {
        self.manifest = manifest
        self.decisions = decisions
    }

    /// The decisions that should have been made, or nil if the current ones are right.
    var revisedDecisions: Decisions? {
        var revised = decisions
        revised.raises = decisions.raises || needsRaise
        revised.disputed.formUnion(disputed)
        return revised == decisions ? nil : revised
    }

    private mutating func note(_ defect: ManifestDefect, _ count: Int = 1) { mended[defect, default: 0] += count }

    // MARK: Reading

    mutating func read(_ isMember: ManifestFix.Lookup) {
        withheld = decisions.short
        var reader = ManifestReader(manifest)
        var source = ManifestLines(manifest)
        var known = 0
        var item: ManifestReader.Item?
        repeat {
            item = reader.next()
            var doubles: [Int: Int] = [:]
            let problems = reader.problems
            for problem in problems[known...] { look(at: problem, &doubles) }
            known = problems.count
            while let line = source.next() {
                if let item, line.number == item.line, case .entry(let fields) = line.content {
                    addEntry(item, line, fields, isMember)
                    break
                }
                addOther(line, repeating: doubles[line.number])
            }
        } while item != nil
        baseURL = reader.baseURL
        if source.hasByteOrderMark { note(.byteOrderMark) }
    }

    private mutating func look(at problem: PackageProblem, _ doubles: inout [Int: Int]) {
        if problem.severity == .error { errors[problem.rule, default: 0] += 1 }
        guard case .manifest(let line, _) = problem.place else { return }
        switch problem.kind {
        case .otherEncoding: isForeign = true
        case .duplicate(_, let first): doubles[line] = first
        case .conflictingDuplicate(_, let first): disputed.insert(first)
        case .unsorted: unsorted += 1
        default: break
        }
    }

    /// Adds a line that gives no entry.
    ///
    /// - Parameters:
    ///   - line: The line.
    ///   - first: The line that it repeats, if any.
    private mutating func addOther(_ line: ManifestLine, repeating first: Int?) {
        switch line.content {
        case .blank:
            if line.endsInCRLF { mended[.crlf] = 1 }
            note(.blankLine)
        case .entry(let fields):
            if let first {
                if repeats(fields, first) { return note(.duplicate) }
                // A change to the first line must not make them disagree.
                disputed.insert(first)
                keepsOrder = true
            }
            addUnread(line)
        case .header(let key, let value) where isUnderstood(line) && manifest[key].elementsEqual("baseURL".utf8):
            if manifest[line.range].count != key.count + 3 + value.count { note(.whiteSpace) }
            lines.addHeader(key: manifest[key], value: manifest[value])
            noteEnd(of: line)
        case .header:
            // A line parsed as a header may have been meant as an entry.
            keepsOrder = true
            addUnread(line)
        case .malformed, .tooLong: addUnread(line)
        }
    }

    /// Returns true if every reader sees the same fields as in an earlier line, so that the line can be removed.
    private mutating func repeats(_ fields: ManifestLine.Fields, _ first: Int) -> Bool {
        if repeated[first] == nil {
            // Often many lines repeat the same one, so its fields are kept.
            var source = ManifestLines(manifest)
            while let line = source.next(), line.number <= first {
                if line.number == first, case .entry(let fields) = line.content { repeated[first] = fields }
            }
        }
        guard let known = repeated[first], known.count == fields.count else { return false }
        // If the first URL is rewritten to normal form, a later line may already have that form.
        let text = manifest[fields.url]
        guard text == manifest[known.url] || rewritten[first].map({ text.elementsEqual($0.utf8) }) == true else {
            return false
        }
        func isEqual(_ one: Range<Int>?, _ other: Range<Int>?, _ meaning: (ArraySlice<UInt8>) -> String?) -> Bool {
            guard let one, let other else { return one == other }
            func isNone(_ range: Range<Int>) -> Bool {
                range.isEmpty || manifest[range].elementsEqual("NULL".utf8)
            }
            if manifest[one] == manifest[other] || (isNone(one) && isNone(other)) { return true }
            guard let text = meaning(manifest[one]) else { return false }
            return text == meaning(manifest[other])
        }
        func date(_ bytes: ArraySlice<UInt8>) -> String? { LenientDate.parse(bytes.span).map { "\($0.timestamp)" } }
        func type(_ bytes: ArraySlice<UInt8>) -> String? { FixedEntry.safeType(bytes) }
        return isEqual(known.lastModified, fields.lastModified, date) && isEqual(known.expires, fields.expires, date)
            && isEqual(known.mediaType, fields.mediaType, type) && isEqual(known.member, fields.member) { _ in nil }
    }

    /// Adds a line unchanged, except for its line break if that is safe.
    private mutating func addUnread(_ line: ManifestLine) {
        let hasOwnCR = manifest[line.range].last == UInt8(ascii: "\r")
        var end = manifest[line.range.upperBound...].prefix(line.endsInCRLF ? 2 : 1)
        if line.endsInCRLF, !hasOwnCR {
            mended[.crlf] = 1
            end = end.dropFirst()
        }
        lines.addUnread(manifest[line.range] + end)
    }

    /// Returns true if a line's bytes are text, which splitting doesn't check.
    private func isUnderstood(_ line: ManifestLine) -> Bool {
        let bytes = manifest[line.range]
        let hasControl = bytes.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
        return !hasControl && String(validating: bytes, as: UTF8.self) != nil
    }

    private mutating func noteEnd(of line: ManifestLine) {
        if line.endsInCRLF { mended[.crlf] = 1 }
        if line.range.upperBound == manifest.count { note(.lastLineEnd) }
    }

    private mutating func addEntry(
        _ item: ManifestReader.Item,
        _ line: ManifestLine,
        _ fields: ManifestLine.Fields,
        _ isMember: ManifestFix.Lookup
    ) {
        if item.oddDelimiter != nil {
            keepsOrder = true
            noteEnd(of: line)
            lines.addKept(manifest[line.range], entry: item.entry)
            return
        }
        var entry = FixedEntry(
            item,
            fields,
            manifest,
            isDisputed: decisions.disputed.contains(line.number),
            allowsUnsafe: decisions.allowsUnsafe,
            isMember
        )
        if entry.isWithheld { withheld += 1 }
        if entry.mended[.url] != nil || entry.mended[.fragment] != nil {
            rewritten[line.number] = item.url.description
        }
        if decisions.raises { entry.raise() }
        if entry.isNamed, fields.count < 4 { needsRaise = true }
        if line.range.count != entry.normalLength, entry.mended[.emptyField] == nil,
            entry.mended[.trailingDelimiter] == nil
        {
            note(.whiteSpace)
        }
        for (defect, count) in entry.mended { note(defect, count) }
        noteEnd(of: line)
        lines.addEntry(entry)
    }

    // MARK: Writing

    /// Returns the fixed manifest.
    mutating func finish() -> [UInt8] {
        if isForeign {
            (mended, withheld) = ([:], 0)
            return manifest
        }
        // AFCache's 0.13 reader skips a late header, but would read one that was moved to the top.
        if lines.hasLateHeader, !decisions.allowsUnsafe {
            withheld += 1
            keepsOrder = true
        }
        if errors.isEmpty, !keepsOrder, !lines.isSorted {
            lines.sort()
            if unsorted > 0 { note(.order, unsorted) }
            if lines.hasLateHeader { note(.lateHeader) }
        }
        return lines.bytes
    }

    /// Parses the result and returns how its meaning differs from the manifest's; nil if it doesn't.
    func difference(from bytes: [UInt8]) -> String? {
        if isForeign { return nil }
        var reader = ManifestReader(bytes)
        var count = 0
        while let item = reader.next() {
            guard count < lines.meanings.count, lines.meanings[count] == EntryMeaning(item.entry) else {
                return "line \(item.line) would be read differently"
            }
            count += 1
        }
        guard count == lines.meanings.count else {
            return "it would have \(count) entries instead of \(lines.meanings.count)"
        }
        guard reader.baseURL == baseURL else { return "it would have a different base URL" }
        var left: [String: Int] = [:]
        for problem in reader.problems where problem.severity == .error { left[problem.rule, default: 0] += 1 }
        return left == errors ? nil : "it would have different errors"
    }
}
