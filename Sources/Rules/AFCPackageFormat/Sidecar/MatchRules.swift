internal import AFCText

/// A package's rules for parameters of URLs that make no difference, in `.afcache/match.json`.
///
/// docs/reference/format.md specifies the member, and docs/reference/matching.md says when it counts.
public struct MatchRules: Equatable, Sendable {
    /// The reason why the member can't be used.
    public struct Malformation: Error, Equatable, Sendable {
        /// A sentence without a full stop.
        public var reason: String
        /// The byte offset of the place in the member, if it is known.
        public var offset: Int?

        /// Creates a reason.
        init(reason: String, offset: Int? = nil) { (self.reason, self.offset) = (reason, offset) }
    }

    /// A rule for the parameters of some paths.
    public struct Rule: Equatable, Sendable {
        /// The parameters that a rule names.
        public enum Names: Equatable, Sendable {
            /// These make no difference; a final `*` matches any text.
            case ignore([String])
            /// Only these make a difference; a final `*` matches any text.
            case keep([String])
        }

        /// The path, in which one `*` matches any text.
        public let path: String
        /// The parameters.
        public let names: Names

        /// Creates a rule without checking it.
        init(path: String, names: Names) { (self.path, self.names) = (path, names) }

        /// Returns true if a parameter makes no difference by this rule.
        ///
        /// - Parameter name: The parameter's decoded name.
        /// - Returns: True if it makes none, false if it makes one, and nil if the rule doesn't name it.
        public func ignores(_ name: String) -> Bool? {
            switch names {
            case .ignore(let names): names.contains { Self.matches(name, $0) } ? true : nil
            case .keep(let names): !names.contains { Self.matches(name, $0) }
            }
        }

        /// Returns true if the rule is for a path.
        fileprivate func isFor(_ other: String) -> Bool {
            guard let star = path.utf8.firstIndex(of: UInt8(ascii: "*")) else { return path == other }
            let (start, end) = (path.utf8[..<star], path.utf8[path.utf8.index(after: star)...])
            return other.utf8.count >= start.count + end.count && other.utf8.starts(with: start)
                && other.utf8.suffix(end.count).elementsEqual(end)
        }

        private static func matches(_ name: String, _ pattern: String) -> Bool {
            guard pattern.utf8.last == UInt8(ascii: "*") else { return name == pattern }
            return name.utf8.starts(with: pattern.utf8.dropLast())
        }
    }

    /// The rules; the first one for a path counts.
    public let rules: [Rule]

    private static let ruleLimit = 64
    private static let nameLimit = 64
    private static let nameByteLimit = 128
    private static let pathByteLimit = 1024

    /// Reads the member.
    ///
    /// Unknown keys are ignored, as everywhere in the sidecar.
    ///
    /// - Parameter bytes: The contents of the member.
    /// - Throws: ``Malformation`` if it isn't as documented.
    public init(_ bytes: [UInt8]) throws(Malformation) {
        let json: JSONValue
        do throws(JSONValue.SyntaxError) {
            json = try JSONValue(parsing: bytes)
        } catch {
            throw Malformation(reason: "the rules are not JSON at byte \(error.offset)", offset: error.offset)
        }
        guard case .object = json, let list = json["rules"]?.array, list.count <= Self.ruleLimit else {
            throw Malformation(
                reason: "the member must be a JSON object with 'rules', a list of at most \(Self.ruleLimit)"
            )
        }
        var rules: [Rule] = []
        for (index, item) in list.enumerated() {
            do throws(Malformation) {
                rules.append(try Self.rule(item, number: index + 1))
            } catch {
                throw Malformation(reason: error.reason, offset: Self.offset(ofRule: index, in: bytes))
            }
        }
        self.rules = rules
    }

    /// Returns the rule for a path; nil if there is none.
    ///
    /// - Parameter path: The path of a URL, as serialized.
    /// - Returns: The first rule for it.
    public func rule(for path: String) -> Rule? { rules.first { $0.isFor(path) } }

    /// The text of the member: one rule per line.
    public var bytes: [UInt8] {
        let lines = rules.map { rule in
            let (key, names) =
                switch rule.names {
                case .ignore(let names): ("ignore", names)
                case .keep(let names): ("keep", names)
                }
            let object = JSONValue.object([
                ("path", .string(rule.path)), (key, .array(names.map { .string($0) })),
            ])
            return "\n    " + object.serialized
        }
        return Array("{\n  \"rules\": [\(lines.joined(separator: ","))\n  ]\n}\n".utf8)
    }

    /// Returns the offset of a rule in JSON that is valid and has the list of rules; nil if the list's key is escaped.
    private static func offset(ofRule wanted: Int, in bytes: [UInt8]) -> Int? {
        var (depth, number, isList) = (0, 0, false)
        var key: ArraySlice<UInt8> = []
        var next = 0
        while next < bytes.count {
            let start = next
            next += 1
            switch bytes[start] {
            case UInt8(ascii: "\""):
                while next < bytes.count, bytes[next] != UInt8(ascii: "\"") {
                    next += bytes[next] == UInt8(ascii: "\\") ? 2 : 1
                }
                if depth == 1, next < bytes.count { key = bytes[start + 1..<next] }
                next += 1
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                guard depth == 2, key.elementsEqual("rules".utf8) else { continue }
                isList = true
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                continue
            case UInt8(ascii: ","):
                guard depth == 2, isList else { continue }
                number += 1
            default: continue
            }
            if number == wanted { return bytes[next...].firstIndex { $0 > UInt8(ascii: " ") } }
        }
        return nil
    }

    private static func rule(_ json: JSONValue, number: Int) throws(Malformation) -> Rule {
        let star = UInt8(ascii: "*")
        guard let path = json["path"]?.string, path.hasPrefix("/"), path.utf8.count <= pathByteLimit,
            path.utf8.count(where: { $0 == star }) <= 1
        else {
            throw Malformation(
                reason: "rule \(number) must have a 'path' that begins with '/', has at most one '*', and is at most "
                    + "\(pathByteLimit) bytes long"
            )
        }
        let (ignored, kept) = (json["ignore"], json["keep"])
        guard (ignored == nil) != (kept == nil), let names = (ignored ?? kept)?.array else {
            throw Malformation(reason: "rule \(number) must have either 'ignore' or 'keep', a list of names")
        }
        var texts: [String] = []
        for name in names {
            guard let text = name.string, (1...nameByteLimit).contains(text.utf8.count),
                !text.utf8.dropLast().contains(star), names.count <= nameLimit
            else {
                throw Malformation(
                    reason: "the names of rule \(number) must be at most \(nameLimit) texts of 1 to \(nameByteLimit) "
                        + "bytes, with '*' only at the end"
                )
            }
            texts.append(text)
        }
        return Rule(path: path, names: ignored == nil ? .keep(texts) : .ignore(texts))
    }
}
