internal import AFCText
public import AFCURL

/// The URLs that a crawl requested and the site doesn't have, in `.afcache/absent`, with the status that said so.
///
/// docs/reference/format.md specifies the member. It is kept as text, in which a look-up finds a URL by bisection.
public struct AbsentURLs: Equatable, Sendable {
    /// The reason why the member can't be used.
    public struct Malformation: Error, Equatable, Sendable {
        /// A sentence without a full stop.
        public var reason: String
    }

    /// A URL that the site doesn't have.
    public struct Entry: Equatable, Sendable {
        /// The URL.
        public let url: WebURL
        /// The status, 404 or 410.
        public let status: Int

        /// Creates an entry; nil for a status that doesn't say that there is nothing, and for a URL without a web server.
        public init?(_ url: WebURL, status: Int) {
            guard status == 404 || status == 410, AbsentURLs.isUsable(url) else { return nil }
            (self.url, self.status) = (url, status)
        }
    }

    /// The maximum number of URLs.
    public static let countLimit = 65_536
    private static let lineFeed = UInt8(ascii: "\n")
    /// The size of a status and the space after it, in bytes.
    private static let prefix = 4

    /// The text of the member.
    public let bytes: [UInt8]

    /// Creates the text of entries in any order; of those that don't fit, the last by URL are left out.
    ///
    /// - Parameter entries: The entries; of several with one URL, the first counts.
    public init(_ entries: some Sequence<Entry>) {
        var bytes: [UInt8] = []
        var count = 0
        var last: WebURL?
        for entry in entries.enumerated().sorted(by: { ($0.element.url, $0.offset) < ($1.element.url, $1.offset) })
            .map(\.element) where entry.url != last
        {
            let line = Array("\(entry.status) \(entry.url)\n".utf8)
            guard count < Self.countLimit, bytes.count + line.count <= PackageLayout.absentByteLimit else { break }
            bytes += line
            count += 1
            last = entry.url
        }
        self.bytes = bytes
    }

    /// Reads the member.
    ///
    /// - Parameter bytes: The contents of the member.
    /// - Throws: ``Malformation`` if it isn't as documented.
    public init(_ bytes: [UInt8]) throws(Malformation) {
        self.init(unchecked: bytes)
        guard bytes.isEmpty || bytes.last == Self.lineFeed else {
            throw Malformation(reason: "the last line has no end")
        }
        var number = 0
        var last: ArraySlice<UInt8>?
        for line in bytes.dropLast().split(separator: Self.lineFeed, omittingEmptySubsequences: false)
        where !bytes.isEmpty {
            number += 1
            guard number <= Self.countLimit else {
                throw Malformation(reason: "there are more than \(Self.countLimit) lines")
            }
            guard Self.status(line) != nil, Self.url(line) != nil else {
                throw Malformation(reason: "line \(number) isn't a status, 404 or 410, and a URL in its normal form")
            }
            let url = line.dropFirst(Self.prefix)
            guard last.map({ $0.lexicographicallyPrecedes(url) }) ?? true else {
                throw Malformation(reason: "line \(number) isn't sorted by its URL, or has the URL of another line")
            }
            last = url
        }
    }

    /// Takes a text that was checked when its package was loaded; what isn't as documented in it is not found.
    package init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// True if there is no URL.
    public var isEmpty: Bool { bytes.isEmpty }

    /// The entries, sorted by URL.
    public var entries: some Sequence<Entry> {
        bytes.split(separator: Self.lineFeed).lazy.compactMap { line in
            guard let url = Self.url(line), let status = Self.status(line) else { return nil }
            return Entry(url, status: status)
        }
    }

    /// Returns the status that the site answered for a URL, or nil if the URL isn't listed.
    ///
    /// - Parameter url: The URL as serialized.
    /// - Returns: 404, 410 or nil.
    public func status(of url: String) -> Int? {
        let wanted = Array(url.utf8)
        var (low, high) = (0, bytes.count)
        while low < high {
            var start = (low + high) / 2
            while start > low, bytes[start - 1] != Self.lineFeed { start -= 1 }
            let end = bytes[start..<high].firstIndex(of: Self.lineFeed) ?? high
            let found = bytes[start..<end].dropFirst(Self.prefix)
            if found.elementsEqual(wanted) { return Self.status(bytes[start..<end]) }
            if found.lexicographicallyPrecedes(wanted) { low = end + 1 } else { high = start }
        }
        return nil
    }

    /// Returns the entries that fulfil a condition.
    ///
    /// - Parameter isKept: The condition.
    /// - Returns: The rest, sorted as before.
    public func filter(_ isKept: (WebURL) -> Bool) -> AbsentURLs { AbsentURLs(entries.filter { isKept($0.url) }) }

    private static func status(_ line: ArraySlice<UInt8>) -> Int? {
        switch String(decoding: line.prefix(prefix), as: UTF8.self) {
        case "404 ": 404
        case "410 ": 410
        default: nil
        }
    }

    private static func url(_ line: ArraySlice<UInt8>) -> WebURL? {
        let text = String(decoding: line.dropFirst(prefix), as: UTF8.self)
        guard text.utf8.count <= PackageLayout.urlByteLimit, let url = try? WebURL(text), url.description == text else {
            return nil
        }
        return isUsable(url) ? url : nil
    }

    fileprivate static func isUsable(_ url: WebURL) -> Bool {
        url.isHTTP && !url.hasCredentials && url.description.utf8.count <= PackageLayout.urlByteLimit
    }
}
