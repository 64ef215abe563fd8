internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCURL

/// A manifest while it is rewritten.
struct FixDraft {
    /// What holds for all lines, and shows itself only when all of them are read.
    struct Decisions: Equatable {
        /// Whether lines of two and three fields get four, since the manifest has longer ones, too.
        var raises: Bool
        /// Lines whose URL stays as it is, since another line disagrees.
        var disputed: Set<Int> = []
        /// Indicates whether what another reader may read otherwise is fixed, too.
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
    /// How many lines can't be understood, by the rule.
    private var errors: [String: Int] = [:]
    private var unsorted = 0
    private var baseURL: String?
    private var disputed: Set<Int> = []
    private var needsRaise = false
    /// Indicates whether each line stays beside its neighbours, since one of them says something that isn't understood.
    private var keepsOrder = false
    /// Indicates whether the manifest is no text that can be cut into lines.
    private var isForeign = false
    /// The URLs of the lines where another form is written.
    private var rewritten: [Int: String] = [:]
    /// The fields of the lines that others repeat.
    private var repeated: [Int: ManifestLine.Fields] = [:]

    init(_ manifest: [UInt8], decisions: Decisions) {
        self.manifest = manifest
        self.decisions = decisions
    }

    /// What should have held, or nil where it did.
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
    ///   - first: The line that it repeats, where it does.
    private mutating func addOther(_ line: ManifestLine, repeating first: Int?) {
        switch line.content {
        case .blank:
            if line.endsInCRLF { mended[.crlf] = 1 }
            note(.blankLine)
        case .entry(let fields):
            if let first {
                if repeats(fields, first) { return note(.duplicate) }
                // What the first one is given mustn't make them disagree.
                disputed.insert(first)
                keepsOrder = true
            }
            addUnread(line)
        case .header(let key, let value) where isUnderstood(line) && manifest[key].elementsEqual("baseURL".utf8):
            if manifest[line.range].count != key.count + 3 + value.count { note(.whiteSpace) }
            lines.addHeader(key: manifest[key], value: manifest[value])
            noteEnd(of: line)
        case .header:
            // A line that is cut as a header may have been meant as an entry.
            keepsOrder = true
            addUnread(line)
        case .malformed, .tooLong: addUnread(line)
        }
    }

    /// Tells whether a line has the same fields as an earlier one for every reader, so that nothing is lost without it.
    private mutating func repeats(_ fields: ManifestLine.Fields, _ first: Int) -> Bool {
        if repeated[first] == nil {
            // Where lines repeat, many repeat one: each is looked for once.
            var source = ManifestLines(manifest)
            while let line = source.next(), line.number <= first {
                if line.number == first, case .entry(let fields) = line.content { repeated[first] = fields }
            }
        }
        guard let known = repeated[first], known.count == fields.count else { return false }
        // A first one that isn't in normal form gets that, which a later one may have already.
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

    /// Adds a line as it is, but for its end where that can't make something else of it.
    private mutating func addUnread(_ line: ManifestLine) {
        let hasOwnCR = manifest[line.range].last == UInt8(ascii: "\r")
        var end = manifest[line.range.upperBound...].prefix(line.endsInCRLF ? 2 : 1)
        if line.endsInCRLF, !hasOwnCR {
            mended[.crlf] = 1
            end = end.dropFirst()
        }
        lines.addUnread(manifest[line.range] + end)
    }

    /// Whether a line's bytes are text, which cutting doesn't look at.
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
        if line.range.count != entry.normalLength, entry.mended[.emptyField] == nil { note(.whiteSpace) }
        for (defect, count) in entry.mended { note(defect, count) }
        noteEnd(of: line)
        lines.addEntry(entry)
    }

    // MARK: Writing

    /// The manifest as it should be.
    mutating func finish() -> [UInt8] {
        if isForeign {
            (mended, withheld) = ([:], 0)
            return manifest
        }
        // A header that AFCache's 0.13 reader skips today would be read tomorrow.
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

    /// Reads what was made, and says where it means something else than the manifest; nil where it doesn't.
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
