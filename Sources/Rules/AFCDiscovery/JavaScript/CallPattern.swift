public import AFCURL

/// The literal parts of the address that a call composes.
///
/// A resource whose URL contains them in their order is probably one that the call loads, so the call hides nothing.
public struct CallPattern: Hashable, Sendable {
    private var parts: [[UInt8]] = []
    /// True if nothing but a query may follow the last part.
    private var isEnd = false
    /// The URL of the script, which isn't what the script loads.
    private var script: WebURL?

    /// The smallest number of letters and digits in all parts together; shorter ones occur in URLs by chance.
    private static let leastNames = 3

    /// Creates the pattern of a call, or nil if its code has too few literal parts.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - script: The script or page with the call.
    public init?(_ call: UnreadCall, in script: WebURL) {
        var reader = Reader(rest: Array(call.code.utf8)[...])
        parts = reader.parts().map(Self.withoutDots).filter { !$0.isEmpty }
        // A query that only asks for a fresh copy says nothing.
        if let last = parts.last, let mark = last.firstIndex(of: UInt8(ascii: "?")) {
            let path = last[..<mark].drop { $0 == UInt8(ascii: "/") }
            parts[parts.count - 1] = [UInt8(ascii: "/")] + path
            isEnd = true
        }
        let names = parts.joined().count { $0.isLetter || $0.isDigit }
        guard names >= Self.leastNames else { return nil }
        self.script = script
    }

    /// Creates the pattern of a file that a script loads by a name, the end of its path.
    public init(tail: String) {
        parts = [Array(("/" + tail.drop { $0 == "/" }).utf8)]
        isEnd = true
    }

    /// Returns true if the URL contains the parts in their order.
    public func fits(_ url: WebURL) -> Bool {
        guard url != script else { return false }
        var rest = Array(url.description.utf8)[...]
        var parts = parts
        if isEnd, let last = parts.popLast() {
            guard url.path.utf8.reversed().starts(with: last.reversed()) else { return false }
            rest = rest.prefix { $0 != UInt8(ascii: "?") }.dropLast(last.count)
        }
        return parts.allSatisfy { part in
            guard let end = Self.end(of: part, in: rest) else { return false }
            rest = rest[end...]
            return true
        }
    }

    private static func end(of part: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
        var start = text.startIndex
        while text.endIndex - start >= part.count {
            if text[start...].starts(with: part) { return start + part.count }
            start += 1
        }
        return nil
    }

    /// Removes the segments `.` and `..` at the beginning, which no URL has.
    private static func withoutDots(_ part: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        let dots = part.prefix { $0 == UInt8(ascii: ".") || $0 == slash }
        return dots.last == slash && dots.first != slash ? Array(part.dropFirst(dots.count)) : part
    }

    /// Reads the literals of an address that aren't within inner parentheses or substitutions.
    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func parts() -> [[UInt8]] {
            var parts: [[UInt8]] = []
            // A template without a call stands where the arguments of a call would.
            var depth = rest.first == UInt8(ascii: "`") ? 1 : 0
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
                // The next argument isn't part of the address.
                case UInt8(ascii: ",") where depth == 1 && parts.contains { $0.contains(UInt8(ascii: "/")) }:
                    return parts
                case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"):
                    let literal = literal(until: byte)
                    guard depth == 1 else { continue }
                    for part in literal where isAddress(part, isFirst: parts.isEmpty) { parts.append(part) }
                default: break
                }
            }
            return parts
        }

        /// Returns true for a part of a path; what else precedes the path, such as a method, isn't one.
        private func isAddress(_ part: [UInt8], isFirst: Bool) -> Bool {
            !isFirst || part.contains(UInt8(ascii: "/")) || part.contains(UInt8(ascii: "?"))
        }

        /// Returns the parts of a string or template; the last one is left out if its end is missing.
        private mutating func literal(until quote: UInt8) -> [[UInt8]] {
            var parts: [[UInt8]] = []
            var part: [UInt8] = []
            while let byte = rest.popFirst() {
                if byte == quote { return parts + [part] }
                if quote == UInt8(ascii: "`"), byte == UInt8(ascii: "$"), rest.first == UInt8(ascii: "{") {
                    parts.append(part)
                    part = []
                    skipSubstitution()
                } else {
                    part.append(byte)
                }
            }
            return parts
        }

        private mutating func skipSubstitution() {
            var depth = 0
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: "{") { depth += 1 }
                if byte == UInt8(ascii: "}") { depth -= 1 }
                if depth == 0 { return }
            }
        }
    }
}
