internal import AFCCache
internal import AFCCaching
internal import AFCHTTP
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// The version of a package, as tools write and read it: its name, and the beginning of its digest.
struct PackageVersion: Hashable, Sendable, CustomStringConvertible {
    /// The number of the digest's digits that tell versions apart.
    static let digits = 12

    let package: String
    let digest: String

    /// Creates the version of a generation.
    init(_ generation: CurrentGeneration) {
        (package, digest) = (generation.package, String(generation.digest.prefix(Self.digits)))
    }

    /// Reads a version; without an `@`, the text is the name of a package.
    init(_ text: String) {
        let mark = text.lastIndex(of: "@")
        let name = String(mark.map { text[..<$0] } ?? text[...])
        let quoted = name.hasPrefix("\"") ? try? JSONValue(parsing: Array(name.utf8)) : nil
        (package, digest) = (quoted?.string ?? name, mark.map { String(text[text.index(after: $0)...]) } ?? "")
    }

    /// The name and the digits, on one line; a name that could be taken for more of the line is a JSON string.
    var description: String {
        let isPlain = package.utf8.allSatisfy { ("!"..."~").contains(Unicode.Scalar($0)) && $0 != UInt8(ascii: "|") }
        let name = isPlain && !package.hasPrefix("\"") ? package : Self.quoted(package)
        return "\(PrintableText.escaped(name))@\(digest)"
    }

    /// Returns a JSON string without the bar that separates the parts of a citation.
    private static func quoted(_ name: String) -> String {
        JSONValue.string(name).serialized.replacing("|", with: "\\u007C")
    }
}

/// Where a text comes from, and how fresh it is: nothing of it is written by the page.
struct Citation: Sendable, Equatable {
    /// The freshness of a response (RFC 9111 §4.2).
    enum State: Sendable, Equatable {
        /// It is fresh until a time.
        case fresh(until: Timestamp)
        /// It has been stale since a time.
        case stale(since: Timestamp)
        /// Its origin said nothing.
        case unstated
    }

    var url: String
    var version: PackageVersion
    var packaged: Timestamp
    var fetched: Timestamp?
    var modified: Timestamp?
    var state: State
    /// What the origin says about the use of the text, without names that no vocabulary has; empty if nothing.
    var usage: String

    /// Creates the citation of a resource.
    ///
    /// - Parameters:
    ///   - resource: The resource.
    ///   - generation: Its generation.
    ///   - usage: What is said about its use.
    ///   - now: The time for which freshness is determined.
    init(
        _ resource: CurrentGeneration.Resource,
        in generation: CurrentGeneration,
        _ usage: StatedUsage = StatedUsage(),
        at now: Timestamp
    ) {
        let response = resource.response
        // The URL in its normal form has no white space and no character beyond ASCII.
        url = PrintableText.escaped(resource.url)
        version = PackageVersion(generation)
        packaged = generation.date
        fetched = response.fields[.date].flatMap { HTTPDate.parse($0, now: now) } ?? response.received
        modified = resource.lastModified
        // An origin could put words for a model into names of its own.
        self.usage = usage.combined.known.text
        let freshness = Freshness(of: response, at: now, sharing: .shared)
        if freshness.needsValidation {
            state = .stale(since: response.received)
        } else if !freshness.isStated {
            state = .unstated
        } else {
            state = freshness.isFresh ? .fresh(until: now + freshness.ttl) : .stale(since: now + freshness.ttl)
        }
    }

    /// The words for the freshness.
    private var words: String {
        switch state {
        case .fresh(let until): "fresh until \(until.iso8601)"
        case .stale(let since): "stale since \(since.iso8601)"
        case .unstated: "freshness not stated"
        }
    }

    /// The citation as one line.
    var line: String {
        var parts = ["Source: \(url)", "version \(version)", "packaged \(packaged.iso8601)"]
        if let fetched { parts.append("fetched \(fetched.iso8601)") }
        if let modified { parts.append("last modified \(modified.iso8601)") }
        parts.append(words)
        if !usage.isEmpty { parts.append("usage \(usage)") }
        return parts.joined(separator: " | ")
    }

    /// The citation as a structured value.
    var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("url", .string(url)), ("package", .string(version.package)), ("version", .string(version.description)),
            ("packaged", .string(packaged.iso8601)),
        ]
        if let fetched { members.append(("fetched", .string(fetched.iso8601))) }
        if let modified { members.append(("modified", .string(modified.iso8601))) }
        switch state {
        case .fresh(let until): members += [("freshness", .string("fresh")), ("until", .string(until.iso8601))]
        case .stale(let since): members += [("freshness", .string("stale")), ("since", .string(since.iso8601))]
        case .unstated: members.append(("freshness", .string("not stated")))
        }
        if !usage.isEmpty { members.append(("usage", .string(usage))) }
        return .object(members)
    }
}
