/// A path in JSON, such as `resources.assembly.*.name`, and what is taken there.
///
/// A `*` stands for every key of an object and every element of an array.
struct JSONPathWalk: Sendable {
    enum Step: Equatable {
        case key(String)
        case any
    }

    /// The kind of value that is taken.
    enum Taken {
        case strings
        /// The keys of the object at the path.
        case keys
        /// The object at the path, with those of its members that are strings.
        case objects
    }

    var steps: [Step]
    var taken: Taken

    /// The longest string that is taken, in bytes.
    private static let maxLength = 4_096
    /// The largest number of members of an object that are taken.
    private static let maxMembers = 64

    private struct Frame {
        var isObject: Bool
        /// The number of steps that lead here, or nil if the path leads elsewhere.
        var depth: Int?
        /// The keys that `*` stood for.
        var keys: [String]
        /// The members of an object that is taken.
        var members: [String: String] = [:]
        var start = 0
    }

    /// Reads one JSON value and calls a closure for each value that is taken, until it returns false.
    ///
    /// - Parameters:
    ///   - text: The text, in which something may follow the value.
    ///   - found: Takes the value; returns true to continue.
    /// - Returns: True if the text is JSON; otherwise, the values must be ignored.
    func forEach(in text: ScanBuffer, _ found: (RecipeValue) -> Bool) -> Bool {
        var scanner = JSONScanner(text)
        var frames: [Frame] = []
        var key = 0..<0
        do throws(JSONScanner.Malformed) {
            while let token = try scanner.next() {
                switch token {
                case .key:
                    key = scanner.range
                    guard let last = frames.last, last.isObject, last.depth == steps.count, taken == .keys else {
                        continue
                    }
                    guard take(text, key, last.keys, found) else { return true }
                case .string:
                    guard let last = frames.last else {
                        if steps.isEmpty, taken == .strings { _ = take(text, scanner.range, [], found) }
                        return true
                    }
                    if last.depth == steps.count, taken == .objects {
                        note(text, key, scanner.range, &frames[frames.count - 1])
                    } else if taken == .strings, let (depth, keys) = step(from: last, text, key), depth == steps.count {
                        guard take(text, scanner.range, keys, found) else { return true }
                    }
                case .objectStart, .arrayStart:
                    let isObject = token == .objectStart
                    let next = frames.last.map { step(from: $0, text, key) } ?? (0, [])
                    frames.append(
                        Frame(isObject: isObject, depth: next?.0, keys: next?.1 ?? [], start: scanner.position - 1)
                    )
                case .objectEnd, .arrayEnd:
                    if let last = frames.popLast(), last.isObject, last.depth == steps.count, taken == .objects {
                        let value = RecipeValue(offset: last.start, keys: last.keys, members: last.members)
                        guard found(value) else { return true }
                    }
                    if frames.isEmpty { return true }
                case .scalar: if frames.isEmpty { return true }
                }
            }
            return true
        } catch {
            return false
        }
    }

    /// Returns the number of steps that lead to a value within a container, and the keys that `*` stands for.
    private func step(from frame: Frame, _ text: ScanBuffer, _ key: Range<Int>) -> (Int, [String])? {
        guard let depth = frame.depth, depth < steps.count else { return nil }
        guard frame.isObject else { return steps[depth] == .any ? (depth + 1, frame.keys + [""]) : nil }
        guard key.count <= Self.maxLength, let name = JavaScriptText.string(text, key) else { return nil }
        switch steps[depth] {
        case .any: return (depth + 1, frame.keys + [name])
        case .key(let wanted): return wanted == name ? (depth + 1, frame.keys) : nil
        }
    }

    private func take(
        _ text: ScanBuffer,
        _ range: Range<Int>,
        _ keys: [String],
        _ found: (RecipeValue) -> Bool
    ) -> Bool {
        guard range.count <= Self.maxLength, let string = JavaScriptText.string(text, range) else { return true }
        return found(RecipeValue(text: string, offset: range.lowerBound, keys: keys))
    }

    private func note(_ text: ScanBuffer, _ key: Range<Int>, _ range: Range<Int>, _ frame: inout Frame) {
        guard key.count <= 256, range.count <= Self.maxLength, frame.members.count < Self.maxMembers,
            let name = JavaScriptText.string(text, key), let string = JavaScriptText.string(text, range)
        else { return }
        frame.members[name] = string
    }
}
