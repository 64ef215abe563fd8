/// Walks through a JSON text and reports each string with its path of names and arrays.
struct JSONWalk {
    /// One step of a path.
    enum Step: Equatable {
        /// A member of an object, with the range of its name without quotes.
        case key(Range<Int>)
        /// An element of an array.
        case element
    }

    /// A string and its path.
    struct Found {
        let scanner: JSONScanner
        let path: [Step]

        /// The range of the string, without quotes.
        var range: Range<Int> { scanner.range }

        /// Returns true if the path consists of these names; an empty name stands for an array element.
        func isAt(_ names: [StaticString]) -> Bool {
            guard names.count == path.count else { return false }
            // The last name differs most often.
            for index in names.indices.reversed() {
                switch path[index] {
                case .element: guard names[index].utf8CodeUnitCount == 0 else { return false }
                case .key(let range): guard isName(range, names[index]) else { return false }
                }
            }
            return true
        }

        /// Returns the text of the string, or nil if it exceeds a limit.
        func text(limit: Int) -> String? { text(range, limit: limit) }

        /// Returns the name of a step, or nil for an array element or a name that exceeds a limit.
        func name(ofStep index: Int, limit: Int) -> String? {
            guard case .key(let range) = path[index] else { return nil }
            return text(range, limit: limit)
        }

        private func text(_ range: Range<Int>, limit: Int) -> String? {
            range.count <= limit ? JavaScriptText.string(scanner.bytes, range) : nil
        }

        private func isName(_ range: Range<Int>, _ name: StaticString) -> Bool {
            let bytes = scanner.bytes
            if range.count == name.utf8CodeUnitCount {
                for offset in 0..<range.count where bytes[range.lowerBound + offset] != name.utf8Start[offset] {
                    return false
                }
                return true
            }
            let longest = 6 * name.utf8CodeUnitCount
            guard range.count > name.utf8CodeUnitCount, range.count <= longest,
                bytes.find(UInt8(ascii: "\\"), from: range.lowerBound, to: range.upperBound) < range.upperBound
            else { return false }
            return text(range, limit: longest) == name.description
        }
    }

    /// The longest path; strings that are nested deeper aren't reported.
    static let maxPath = 8

    /// Calls a closure for each string.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - found: Takes the string and its path.
    /// - Returns: True if the text is JSON; otherwise, the reported strings must be ignored.
    static func forEachString(in bytes: ScanBuffer, _ found: (Found) -> Void) -> Bool {
        var scanner = JSONScanner(bytes)
        var path: [Step] = []
        /// The number of open arrays and objects beyond the longest path.
        var deeper = 0
        func endOfValue() { if deeper == 0, case .key? = path.last { path.removeLast() } }
        do throws(JSONScanner.Malformed) {
            while let token = try scanner.next() {
                switch token {
                case .key: if deeper == 0 { path.append(.key(scanner.range)) }
                case .objectStart, .arrayStart:
                    if deeper > 0 || path.count >= maxPath {
                        deeper += 1
                    } else if token == .arrayStart {
                        path.append(.element)
                    }
                case .objectEnd, .arrayEnd:
                    if deeper > 0 { deeper -= 1 } else if token == .arrayEnd { path.removeLast() }
                    endOfValue()
                case .string:
                    if deeper == 0 { found(Found(scanner: scanner, path: path)) }
                    endOfValue()
                case .scalar: endOfValue()
                }
            }
            return true
        } catch {
            return false
        }
    }
}
