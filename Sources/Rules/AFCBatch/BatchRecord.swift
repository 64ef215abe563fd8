public import AFCText

/// What is known about a site of a batch, kept in a file.
public struct BatchRecord: Sendable, Equatable {
    /// How a site's work ended.
    public enum State: String, Sendable {
        /// It began, and hasn't ended yet.
        case begun
        /// The package differs from the last one.
        case packed
        /// The package is the last one.
        case unchanged
        /// A step failed.
        case failed
    }

    /// How often a site may fail in a round.
    public static let failureLimit = 3
    /// How often a site may be begun in a round.
    public static let beginningLimit = 10
    /// The maximum size of the file in bytes.
    public static let byteLimit = 1 << 20

    /// The name of the site.
    public var name: String
    /// The name of the round.
    public var round = ""
    /// How the work ended.
    public var state = State.begun
    /// How often it was begun in the round.
    public var beginnings = 0
    /// How often it failed in the round.
    public var failures = 0
    /// The exit code of the step that failed.
    public var exitCode: Int32 = 0
    /// The step that failed, such as `pack`.
    public var step: String?
    /// The error of that step in one sentence.
    public var error: String?
    /// The digest of the package's contents in hexadecimal digits.
    public var digest: String?
    /// The package's size in bytes.
    public var size: Int64?
    /// How many resources the package has.
    public var resources: Int?
    /// The seconds that the work took.
    public var seconds = 0.0
    /// The arguments with which the package was made.
    public var arguments: [String] = []
    /// The places where the package is, with the digest that each has.
    public var published: [String: String] = [:]
    /// The files in the channel's folder, the newest last.
    public var files: [String] = []

    /// Creates a record.
    ///
    /// - Parameter name: The name of the site.
    public init(name: String) { self.name = name }

    /// True if nothing is left to do in its round.
    public var isDone: Bool { state == .packed || state == .unchanged }

    /// True if the site is tried no more in its round.
    public var isSetAside: Bool {
        !isDone && (failures >= Self.failureLimit || beginnings >= Self.beginningLimit)
    }

    /// The record as JSON.
    public var json: JSONValue {
        func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        return .object([
            ("name", .string(name)), ("round", .string(round)), ("state", .string(state.rawValue)),
            ("beginnings", .number(String(beginnings))), ("failures", .number(String(failures))),
            ("exitCode", .number(String(exitCode))), ("step", text(step)), ("error", text(error)),
            ("digest", text(digest)), ("size", size.map { .number(String($0)) } ?? .null),
            ("resources", resources.map { .number(String($0)) } ?? .null),
            ("seconds", .number(String(Double(Int64(seconds * 1000)) / 1000))),
            ("arguments", .array(arguments.map { .string($0) })),
            ("published", .object(published.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
            ("files", .array(files.map { .string($0) })),
        ])
    }

    /// Reads a record; nil if the file isn't one of this site.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - name: The name of the site.
    public init?(_ bytes: [UInt8], name: String) {
        guard bytes.count <= Self.byteLimit, let value = try? JSONValue(parsing: bytes),
            value["name"]?.string == name, let state = value["state"]?.string.flatMap(State.init(rawValue:)),
            let round = value["round"]?.string
        else { return nil }
        self.init(name: name)
        (self.round, self.state) = (round, state)
        func number(_ key: String) -> Int64? { value[key]?.integer }
        beginnings = number("beginnings").flatMap { Int(exactly: $0) } ?? 0
        failures = number("failures").flatMap { Int(exactly: $0) } ?? 0
        exitCode = number("exitCode").flatMap { Int32(exactly: $0) } ?? 0
        step = value["step"]?.string
        error = value["error"]?.string
        digest = value["digest"]?.string
        if case .number(let text)? = value["seconds"] { seconds = Double(text) ?? 0 }
        size = number("size")
        resources = number("resources").flatMap { Int(exactly: $0) }
        if case .object(let members)? = value["published"] {
            for (place, digest) in members { published[place] = digest.string }
        }
        arguments = (value["arguments"]?.array ?? []).compactMap(\.string)
        files = (value["files"]?.array ?? []).compactMap(\.string)
    }

    /// Returns records as JUnit's XML: a suite with a test case for each site.
    ///
    /// - Parameter records: The records.
    /// - Returns: The document.
    public static func junit(_ records: [BatchRecord]) -> [UInt8] {
        let failures = records.count { !$0.isDone }
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"afcache batch\">\n"
        text += " <testsuite name=\"batch\" tests=\"\(records.count)\" failures=\"\(failures)\" errors=\"0\">\n"
        for record in records {
            let name = XMLText.escaped(record.name)
            let seconds = Double(Int64(record.seconds * 1000)) / 1000
            text += "  <testcase classname=\"batch\" name=\"\(name)\" time=\"\(seconds)\""
            guard !record.isDone else {
                text += "/>\n"
                continue
            }
            let message = XMLText.escaped(record.error ?? "not finished")
            let step = XMLText.escaped(record.step ?? record.state.rawValue)
            text += ">\n   <failure type=\"\(step)\" message=\"\(message)\"/>\n  </testcase>\n"
        }
        return Array((text + " </testsuite>\n</testsuites>\n").utf8)
    }
}
