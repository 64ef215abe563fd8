/// The differences between two texts, in time that hardly grows faster than the number of lines.
///
/// Lines that are unique in both texts are matched, and of these the longest run that ascends in both texts is kept.
/// Equal neighbors are then added on either side. The diff is always correct, and as short as possible if most lines
/// are unique, as in a manifest. It takes about 60 bytes of memory per line.
package struct LineDiff {
    /// A part of the old text that a part of the new one replaces, as ranges of line numbers from 0.
    package struct Change: Equatable, Sendable {
        /// The lines of the old text.
        package var old: Range<Int>
        /// The lines of the new text.
        package var new: Range<Int>
    }

    /// A text with the offsets of its lines.
    package struct Lines {
        /// The text.
        package let bytes: [UInt8]
        private let starts: [Int]

        /// The number of lines.
        package var count: Int { starts.count - 1 }

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            var starts = [0]
            for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") { starts.append(index + 1) }
            if starts.last != bytes.count { starts.append(bytes.count) }
            self.starts = starts
        }

        /// Returns a line with its line break.
        package subscript(number: Int) -> ArraySlice<UInt8> { bytes[starts[number]..<starts[number + 1]] }
    }

    /// The old text.
    package let old: Lines
    /// The new text.
    package let new: Lines
    /// The differences, in order.
    package let changes: [Change]

    /// Compares two texts.
    package init(_ old: [UInt8], _ new: [UInt8]) {
        (self.old, self.new) = (Lines(old), Lines(new))
        changes = Self.changes(self.old, self.new)
    }

    private static func changes(_ old: Lines, _ new: Lines) -> [Change] {
        var changes: [Change] = []
        var (oldStart, newStart) = (0, 0)
        for (first, second) in anchors(old, new) + [(old.count, new.count)] {
            // The anchor may already be part of a neighbor.
            guard first >= oldStart, second >= newStart else { continue }
            while oldStart < first, newStart < second, old[oldStart] == new[newStart] {
                oldStart += 1
                newStart += 1
            }
            var (oldEnd, newEnd) = (first, second)
            while oldEnd > oldStart, newEnd > newStart, old[oldEnd - 1] == new[newEnd - 1] {
                oldEnd -= 1
                newEnd -= 1
            }
            if oldStart < oldEnd || newStart < newEnd {
                changes.append(Change(old: oldStart..<oldEnd, new: newStart..<newEnd))
            }
            (oldStart, newStart) = (first + 1, second + 1)
        }
        return changes
    }

    /// Returns pairs of equal lines that are unique in both texts, ascending in both.
    private static func anchors(_ old: Lines, _ new: Lines) -> [(Int, Int)] {
        let places = uniquePlaces(of: new)
        var pairs: [(Int, Int)] = []
        let repeated = -1
        var seen: [Int: Int] = [:]
        for number in 0..<old.count {
            let hash = hash(old[number])
            guard let place = places[hash], place != repeated else { continue }
            seen[hash] = seen[hash] == nil ? number : repeated
        }
        for number in 0..<old.count {
            let hash = hash(old[number])
            guard seen[hash] == number, let place = places[hash], old[number] == new[place] else { continue }
            pairs.append((number, place))
        }
        return longestAscent(pairs)
    }

    /// Returns the number of each line by its hash, or -1 if several have the same hash.
    private static func uniquePlaces(of lines: Lines) -> [Int: Int] {
        var places = [Int: Int](minimumCapacity: lines.count)
        for number in 0..<lines.count {
            let hash = hash(lines[number])
            places[hash] = places[hash] == nil ? number : -1
        }
        return places
    }

    private static func hash(_ line: ArraySlice<UInt8>) -> Int {
        var hasher = Hasher()
        line.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    /// Returns the longest subsequence of the pairs in which the second numbers also ascend (by patience sorting).
    private static func longestAscent(_ pairs: [(Int, Int)]) -> [(Int, Int)] {
        var tops: [Int] = []
        var previous = [Int](repeating: -1, count: pairs.count)
        for (index, pair) in pairs.enumerated() {
            var (low, high) = (0, tops.count)
            while low < high {
                let middle = (low + high) / 2
                if pairs[tops[middle]].1 < pair.1 { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = tops[low - 1] }
            if low == tops.count { tops.append(index) } else { tops[low] = index }
        }
        var ascent: [(Int, Int)] = []
        var next = tops.last ?? -1
        while next >= 0 {
            ascent.append(pairs[next])
            next = previous[next]
        }
        return ascent.reversed()
    }
}
