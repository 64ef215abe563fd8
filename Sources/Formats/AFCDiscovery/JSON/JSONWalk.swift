/// Walks through a JSON text and tells where each string stands: the names and arrays that lead to it.
struct JSONWalk {
    /// One step towards a value.
    enum Step: Equatable {
        /// The member of an object; where its name is, without quotes.
        case key(Range<Int>)
        /// An element of an array.
        case element
    }

    /// A string, and the way to it.
    struct Found {
        let scanner: JSONScanner
        let path: [Step]

        /// Where the string is, without quotes.
        var range: Range<Int> { scanner.range }

        /// Whether the way is through such names and, where the name is empty, elements.
        func isAt(_ names: [StaticString]) -> Bool {
            guard names.count == path.count else { return false }
            // The last name tells most apart.
            for index in names.indices.reversed() {
                switch path[index] {
                case .element: guard names[index].utf8CodeUnitCount == 0 else { return false }
                case .key(let range): guard isName(range, names[index]) else { return false }
                }
            }
            return true
        }

        /// The text of the string, or nil where it is longer than a limit.
        func text(limit: Int) -> String? { text(range, limit: limit) }

        /// The name of the step, or nil where it is an element, or longer than a limit.
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

    /// Strings that are nested deeper aren't told about.
    static let maxPath = 8

    /// Calls back for each string.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - found: Gets the string and the way to it.
    /// - Returns: Whether the text is JSON; where it isn't, what was told about counts for nothing.
    static func forEachString(in bytes: ScanBuffer, _ found: (Found) -> Void) -> Bool {
        var scanner = JSONScanner(bytes)
        var path: [Step] = []
        /// How many arrays and objects are open beyond what is told about.
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
