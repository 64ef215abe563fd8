internal import PackageFormat
internal import URLStandard

/// A manifest while it is written anew.
struct FixDraft {
    /// What holds for all lines, and shows itself only when all of them are read.
    struct Decisions: Equatable {
        /// Whether lines of two and three fields get four, since the manifest has longer ones, too.
        var raises: Bool
        /// Lines whose URL stays as it is, since another line disagrees.
        var disputed: Set<Int> = []

        init(_ lines: ManifestLines) {
            var (hasShort, hasLong) = (false, false)
            for line in lines {
                guard case .entry(let fields) = line.content else { continue }
                if fields.count < 4 { hasShort = true } else { hasLong = true }
            }
            raises = hasShort && hasLong
        }
    }

    private(set) var mended: [ManifestDefect: Int] = [:]
    private let manifest: [UInt8]
    private let decisions: Decisions
    private var lines = FixedLines()
    /// How many lines can't be understood, by the rule.
    private var errors: [String: Int] = [:]
    private var unsorted = 0
    private var baseURL: String?
    private var disputed: Set<Int> = []
    private var needsRaise = false

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
        var reader = ManifestReader(manifest)
        var source = ManifestLines(manifest)
        var known = 0
        var item: ManifestReader.Item?
        repeat {
            item = reader.next()
            var doubles: Set<Int> = []
            let problems = reader.problems
            for problem in problems[known...] { look(at: problem, &doubles) }
            known = problems.count
            while let line = source.next() {
                if let item, line.number == item.line, case .entry(let fields) = line.content {
                    addEntry(item, line, fields, isMember)
                    break
                }
                addOther(line, isDouble: doubles.contains(line.number))
            }
        } while item != nil
        baseURL = reader.baseURL
        if source.hasByteOrderMark { note(.byteOrderMark) }
    }

    private mutating func look(at problem: PackageProblem, _ doubles: inout Set<Int>) {
        if problem.severity == .error { errors[problem.rule, default: 0] += 1 }
        guard case .manifest(let line, _) = problem.place else { return }
        switch problem.kind {
        case .duplicate: doubles.insert(line)
        case .conflictingDuplicate(_, let first): disputed.insert(first)
        case .unsorted: unsorted += 1
        default: break
        }
    }

    /// Adds a line that gives no entry.
    private mutating func addOther(_ line: ManifestLine, isDouble: Bool) {
        switch line.content {
        case .blank:
            if line.endsInCRLF { mended[.crlf] = 1 }
            note(.blankLine)
        case .entry where isDouble: note(.duplicate)
        case .header(let key, let value) where isUnderstood(line):
            if manifest[line.range].count != key.count + 3 + value.count { note(.whiteSpace) }
            lines.addHeader(key: manifest[key], value: manifest[value])
            noteEnd(of: line)
        default: addUnread(line)
        }
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
        var entry = FixedEntry(item, fields, manifest, isDisputed: decisions.disputed.contains(line.number), isMember)
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
        if errors.isEmpty, !lines.isSorted {
            lines.sort()
            if unsorted > 0 { note(.order, unsorted) }
            if lines.hasLateHeader { note(.lateHeader) }
        }
        return lines.bytes
    }

    /// Reads what was made, and says where it means something else than the manifest; nil where it doesn't.
    func difference(from bytes: [UInt8]) -> String? {
        var reader = ManifestReader(bytes)
        var count = 0
        while let item = reader.next() {
            guard count < lines.meanings.count, lines.meanings[count] == EntryMeaning(item.entry) else {
                return "line \(item.line) would be read in another way"
            }
            count += 1
        }
        guard count == lines.meanings.count else {
            return "it would have \(count) entries, not \(lines.meanings.count)"
        }
        guard reader.baseURL == baseURL else { return "it would have another base URL" }
        var left: [String: Int] = [:]
        for problem in reader.problems where problem.severity == .error { left[problem.rule, default: 0] += 1 }
        return left == errors ? nil : "it would have other errors"
    }
}
