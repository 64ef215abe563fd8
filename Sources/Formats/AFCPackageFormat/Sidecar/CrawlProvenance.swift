internal import AFCText
public import AFCURL

/// What `.afcache/crawl.json` says: which crawl brought the package, and what it asked for that isn't in it.
///
/// Whoever finds all of it as it was, and every resource, too, knows that the same crawl would bring the same package.
public struct CrawlProvenance: Equatable, Sendable {
    /// A URL that was asked for in vain.
    public struct Failure: Equatable, Sendable {
        /// The URL.
        public var url: WebURL
        /// The status, 400 to 499.
        public var status: Int
        /// Where the URL was found, or nil for a seed.
        public var foundOn: WebURL?
        /// How much the failure matters, in the words of the crawl's report, or nil: as a link's.
        public var importance: String?

        /// Creates the description of a failure.
        public init(url: WebURL, status: Int, foundOn: WebURL?) {
            self.url = url
            self.status = status
            self.foundOn = foundOn
        }
    }

    /// The SHA-256 of the URLs of all resources, sorted, each with a line feed behind it; 64 hexadecimal digits.
    ///
    /// A package that was edited isn't what the crawl brought.
    public var resources = ""
    /// The SHA-256 of all that decides which URLs the crawl asks for, 64 hexadecimal digits.
    public var options: String
    /// The SHA-256 of each origin's robots.txt, 64 hexadecimal digits, or `none` where there is none.
    public var robots: [String: String]
    /// What was asked for in vain, in the order of the crawl.
    public var failed: [Failure]
    /// How many URLs were not asked for, by the rule's name.
    public var skipped: [String: Int]

    /// Creates the description of a crawl.
    public init(options: String, robots: [String: String], failed: [Failure], skipped: [String: Int]) {
        self.options = options
        self.robots = robots
        self.failed = failed
        self.skipped = skipped
    }

    /// Reads the member; nil where it isn't as documented, since nothing depends on it but how an update goes about its work.
    ///
    /// - Parameter bytes: The member's body.
    public init?(_ bytes: [UInt8]) {
        do throws(JSONValue.SyntaxError) {
            self.init(try JSONValue(parsing: bytes))
        } catch {
            return nil
        }
    }

    private init?(_ json: JSONValue) {
        guard let resources = json["resources"]?.string, let options = json["options"]?.string,
            case .object(let robots) = json["robots"],
            let failed = json["failed"]?.array, case .object(let skipped) = json["skipped"]
        else { return nil }
        self.init(options: options, robots: [:], failed: [], skipped: [:])
        self.resources = resources
        for (origin, digest) in robots {
            guard let digest = digest.string else { return nil }
            self.robots[origin] = digest
        }
        for failure in failed {
            guard let failure = Failure(failure) else { return nil }
            self.failed.append(failure)
        }
        for (rule, count) in skipped {
            guard let count = count.integer.flatMap({ Int(exactly: $0) }), count > 0 else { return nil }
            self.skipped[rule] = count
        }
    }

    /// The member's text: an object with one member a line.
    public var bytes: [UInt8] {
        let robots = robots.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.string($0.value)) }
        let skipped = skipped.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.number(String($0.value))) }
        let members: [(String, JSONValue)] = [
            ("resources", .string(resources)), ("options", .string(options)), ("robots", .object(robots)),
            ("failed", .array(failed.map(\.json))), ("skipped", .object(skipped)),
        ]
        let lines = members.map { "  \(JSONValue.string($0.0).serialized): \($0.1.serialized)" }
        return Array(("{\n" + lines.joined(separator: ",\n") + "\n}\n").utf8)
    }
}

extension CrawlProvenance.Failure {
    fileprivate init?(_ json: JSONValue) {
        guard let url = json["url"]?.string, let status = json["status"]?.integer, (400...499).contains(status) else {
            return nil
        }
        do throws(WebURL.ParseError) {
            self.init(url: try WebURL(url), status: Int(status), foundOn: nil)
            if let text = json["foundOn"]?.string { foundOn = try WebURL(text) }
            importance = json["importance"]?.string
        } catch {
            return nil
        }
    }

    fileprivate var json: JSONValue {
        var members: [(String, JSONValue)] = [("url", .string(url.description)), ("status", .number(String(status)))]
        if let foundOn { members.append(("foundOn", .string(foundOn.description))) }
        if let importance { members.append(("importance", .string(importance))) }
        return .object(members)
    }
}
