/// A unified diff with three lines around each change, as `patch -p0` and `git apply -p0` take it.
public struct UnifiedDiff {
    /// What a line of the diff is, for those who colour it.
    public enum Kind: Sendable {
        /// The names of both texts.
        case file
        /// Where a part begins, `@@ … @@`.
        case place
        /// A line that both texts have.
        case context
        /// A line that only the old text has.
        case removed
        /// A line that only the new text has.
        case added
    }

    private static let context = 3

    private let diff: LineDiff
    private let label: String

    /// Compares two texts.
    ///
    /// - Parameters:
    ///   - old: The text as it is.
    ///   - new: The text as it should be.
    ///   - label: The name of both.
    public init(_ old: [UInt8], _ new: [UInt8], label: String) {
        diff = LineDiff(old, new)
        self.label = Self.named(label)
    }

    /// Gives the lines of the diff one by one, without line ends; none where the texts are equal.
    ///
    /// Lines are the bytes of the texts, whatever they are: for a terminal control characters have to be made visible.
    ///
    /// - Parameter body: Called with each line.
    public func forEachLine(_ body: (Kind, ArraySlice<UInt8>) -> Void) {
        guard !diff.changes.isEmpty else { return }
        body(.file, ArraySlice("--- \(label)".utf8))
        body(.file, ArraySlice("+++ \(label)".utf8))
        var start = 0
        while start < diff.changes.count {
            var end = start + 1
            // Changes whose surroundings touch are one part.
            while end < diff.changes.count,
                diff.changes[end].old.lowerBound - diff.changes[end - 1].old.upperBound <= 2 * Self.context
            {
                end += 1
            }
            part(diff.changes[start..<end], body)
            start = end
        }
    }

    private func part(_ changes: ArraySlice<LineDiff.Change>, _ body: (Kind, ArraySlice<UInt8>) -> Void) {
        guard let first = changes.first, let last = changes.last else { return }
        let before = min(Self.context, first.old.lowerBound)
        let after = min(Self.context, diff.old.count - last.old.upperBound)
        let old = (first.old.lowerBound - before)..<(last.old.upperBound + after)
        let new = (first.new.lowerBound - before)..<(last.new.upperBound + after)
        body(.place, ArraySlice("@@ -\(Self.text(old)) +\(Self.text(new)) @@".utf8))
        var position = old.lowerBound
        for change in changes {
            for number in position..<change.old.lowerBound { line(" ", .context, diff.old[number], body) }
            for number in change.old { line("-", .removed, diff.old[number], body) }
            for number in change.new { line("+", .added, diff.new[number], body) }
            position = change.old.upperBound
        }
        for number in position..<old.upperBound { line(" ", .context, diff.old[number], body) }
    }

    private func line(
        _ mark: Character,
        _ kind: Kind,
        _ line: ArraySlice<UInt8>,
        _ body: (Kind, ArraySlice<UInt8>) -> Void
    ) {
        let isEnded = line.last == UInt8(ascii: "\n")
        body(kind, ArraySlice(mark.utf8 + (isEnded ? line.dropLast() : line)))
        if !isEnded { body(kind, ArraySlice("\\ No newline at end of file".utf8)) }
    }

    /// Line numbers as the format has them: from 1, and of an empty range the line before it.
    private static func text(_ range: Range<Int>) -> String {
        switch range.count {
        case 0: "\(range.lowerBound),0"
        case 1: "\(range.lowerBound + 1)"
        default: "\(range.lowerBound + 1),\(range.count)"
        }
    }

    /// A name that both programs read: in quotes, as git writes it, where it has characters that end it or mean something else.
    private static func named(_ label: String) -> String {
        let isPlain = label.utf8.allSatisfy {
            $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        guard !isPlain else { return label }
        let quoted = label.utf8.map { byte -> String in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): "\\" + String(UnicodeScalar(byte))
            case 0x20..<0x7F: String(UnicodeScalar(byte))
            default: "\\" + [byte >> 6, byte >> 3 & 7, byte & 7].map { String($0) }.joined()
            }
        }
        return "\"" + quoted.joined() + "\""
    }
}
