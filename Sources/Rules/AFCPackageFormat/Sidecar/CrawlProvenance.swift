internal import AFCText
public import AFCURL

/// The contents of `.afcache/crawl.json`: the crawl that made the package, and the URLs it requested that aren't in it.
///
/// If all of this and every resource are unchanged, the same crawl would make the same package.
public struct CrawlProvenance: Equatable, Sendable {
    /// A URL that could not be fetched.
    public struct Failure: Equatable, Sendable {
        /// The URL.
        public var url: WebURL
        /// The status, 400 to 499.
        public var status: Int
        /// The page on which the URL was found, or nil for a seed.
        public var foundOn: WebURL?
        /// The importance of the failure, in the words of the crawl's report, or nil for a link's.
        public var importance: String?

        /// Creates the description of a failure.
        public init(url: WebURL, status: Int, foundOn: WebURL?) {
            self.url = url
            self.status = status
            self.foundOn = foundOn
        }
    }

    /// The SHA-256 of the URLs of all resources, sorted, each followed by a line feed; 64 hexadecimal digits.
    ///
    /// It reveals whether the package was edited after the crawl.
    public var resources = ""
    /// The SHA-256 of all options that decide which URLs the crawl requests; 64 hexadecimal digits.
    public var options: String
    /// The SHA-256 of each origin's robots.txt, as 64 hexadecimal digits, or `none` if there is none.
    public var robots: [String: String]
    /// The failed URLs, in the order of the crawl.
    public var failed: [Failure]
    /// The number of URLs that were skipped, by the name of the rule.
    public var skipped: [String: Int]

    /// The number of failed URLs that something names for certain, which guesses and the icon of every site aren't.
    package var missing: Int {
        failed.count { $0.importance != "guess" && !($0.importance == "optional" && $0.url.path == "/favicon.ico") }
    }

    /// Creates the description of a crawl.
    public init(options: String, robots: [String: String], failed: [Failure], skipped: [String: Int]) {
        self.options = options
        self.robots = robots
        self.failed = failed
        self.skipped = skipped
    }

    /// Reads the member; nil if it isn't as documented.
    ///
    /// It affects only how an update works, so that is not an error.
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

    /// The text of the member: an object with one property per line.
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
