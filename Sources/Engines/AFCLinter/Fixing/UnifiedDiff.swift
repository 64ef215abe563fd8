internal import AFCText

/// A unified diff with three lines around each change, for `patch -p0` and `git apply -p0`.
public struct UnifiedDiff {
    /// The kind of a line, for coloring.
    public enum Kind: Sendable {
        /// The name of one of the texts.
        case file
        /// The start of a hunk, `@@ … @@`.
        case place
        /// A line in both texts.
        case context
        /// A line only in the old text.
        case removed
        /// A line only in the new text.
        case added
    }

    private static let context = 3

    private let diff: LineDiff
    private let label: String

    /// Compares two texts.
    ///
    /// - Parameters:
    ///   - old: The old text.
    ///   - new: The new text.
    ///   - label: The name of both texts.
    public init(_ old: [UInt8], _ new: [UInt8], label: String) {
        diff = LineDiff(old, new)
        self.label = Self.named(label)
    }

    /// Calls a closure with each line of the diff, without line breaks; never if the texts are equal.
    ///
    /// Lines are the original bytes. Escape control characters before writing them to a terminal.
    ///
    /// - Parameter body: The closure.
    public func forEachLine(_ body: (Kind, ArraySlice<UInt8>) -> Void) {
        guard !diff.changes.isEmpty else { return }
        body(.file, ArraySlice("--- \(label)".utf8))
        body(.file, ArraySlice("+++ \(label)".utf8))
        var start = 0
        while start < diff.changes.count {
            var end = start + 1
            // Changes whose context touches form one hunk.
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

    /// Returns line numbers as the format writes them: from 1, and the preceding line for an empty range.
    private static func text(_ range: Range<Int>) -> String {
        switch range.count {
        case 0: "\(range.lowerBound),0"
        case 1: "\(range.lowerBound + 1)"
        default: "\(range.lowerBound + 1),\(range.count)"
        }
    }

    /// Returns a name that both programs read: in quotes, as git writes it, if it has special characters.
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
