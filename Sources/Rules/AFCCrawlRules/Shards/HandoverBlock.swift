package import AFCDiscovery
package import AFCURL

/// A URL that one shard of a crawl found and another one fetches.
package struct HandedURL: Sendable, Equatable {
    package var url: WebURL
    package var role: CrawlScope.Role
    package var destination: Destination
    /// The number of links from a seed.
    package var depth: Int
    /// The number of redirects in a row that led to it.
    package var redirects: Int
    /// The number of requisites in a row that led to it.
    package var chain: Int
    package var isOptional = false
    package var isListed = false
    package var isPage = false

    package init(
        _ url: WebURL,
        role: CrawlScope.Role,
        destination: Destination,
        depth: Int,
        redirects: Int = 0,
        chain: Int = 0
    ) {
        (self.url, self.role, self.destination) = (url, role, destination)
        (self.depth, self.redirects, self.chain) = (depth, redirects, chain)
    }

    /// Combines what several shards found out about one URL, in any order.
    fileprivate func merged(with other: HandedURL) -> HandedURL {
        let isStronger = (role.rawValue, destination.code) <= (other.role.rawValue, other.destination.code)
        var merged = isStronger ? self : other
        merged.depth = min(depth, other.depth)
        merged.redirects = min(redirects, other.redirects)
        merged.chain = min(chain, other.chain)
        merged.isOptional = isOptional && other.isOptional
        merged.isListed = isListed || other.isListed
        merged.isPage = isPage || other.isPage
        return merged
    }
}

/// The form in which one shard hands URLs over to another: sorted, each with only what differs from the one before.
///
/// A block is deflated in its file. It begins with the text `afcache-urls 1` and a line feed, and the number of URLs. For each
/// URL follow: the number of bytes that it shares with the one before, the number of its other bytes, these bytes, a byte for
/// role (bits 0 and 1), optional, listed and page (bits 2 to 4), a byte for the destination, and the depth, the redirects and
/// the chain. Numbers have seven bits in each byte, the lowest first, and bit 7 in all bytes but the last.
package enum HandoverBlock {
    /// The largest size of a block that isn't compressed, in bytes.
    package static let byteLimit = 512 << 20
    /// The largest number of URLs in a block.
    package static let countLimit = 4_000_000
    private static let mark = Array("afcache-urls 1\n".utf8)
    private static let urlByteLimit = 8 << 10
    private static let numberLimit = 0xFFFF

    /// Writes a block.
    ///
    /// - Parameter urls: The URLs, sorted, each once.
    /// - Returns: The bytes, not compressed.
    package static func bytes(of urls: [HandedURL]) -> [UInt8] {
        var bytes = mark
        append(urls.count, to: &bytes)
        var last: [UInt8] = []
        for handed in urls {
            let text = Array(handed.url.description.utf8)
            let shared = zip(last, text).prefix { $0 == $1 }.count
            append(shared, to: &bytes)
            append(text.count - shared, to: &bytes)
            bytes += text[shared...]
            bytes.append(
                UInt8(handed.role.rawValue) | (handed.isOptional ? 4 : 0) | (handed.isListed ? 8 : 0)
                    | (handed.isPage ? 16 : 0)
            )
            bytes.append(handed.destination.code)
            for number in [handed.depth, handed.redirects, handed.chain] {
                append(min(max(0, number), numberLimit), to: &bytes)
            }
            last = text
        }
        return bytes
    }

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Reads a block, which may be anything.
    ///
    /// - Parameters:
    ///   - bytes: The bytes, not compressed.
    ///   - shard: The shard to which all of its URLs must belong.
    /// - Returns: The URLs, sorted, each once.
    /// - Throws: ``Problem``.
    package static func urls(in bytes: [UInt8], for shard: CrawlShard) throws(Problem) -> [HandedURL] {
        guard bytes.count <= byteLimit else { throw Problem("it is larger than \(byteLimit) bytes") }
        guard bytes.starts(with: mark) else { throw Problem("it is not a block of URLs, or one of another version") }
        var reader = Reader(bytes: bytes, position: mark.count)
        let count = try reader.number(upTo: countLimit)
        var urls: [HandedURL] = []
        // The count may be a lie; each URL takes seven bytes or more.
        urls.reserveCapacity(min(count, bytes.count / 7))
        var last: [UInt8] = []
        for _ in 0..<count {
            let shared = try reader.number(upTo: last.count)
            let rest = try reader.bytes(try reader.number(upTo: urlByteLimit - shared))
            let text = last[..<shared] + rest
            guard urls.isEmpty || last.lexicographicallyPrecedes(text) else { throw Problem("its URLs aren't sorted") }
            last = Array(text)
            urls.append(try handed(last, &reader, shard))
        }
        guard reader.position == bytes.count else { throw Problem("something follows its last URL") }
        return urls
    }

    private static func handed(
        _ text: [UInt8],
        _ reader: inout Reader,
        _ shard: CrawlShard
    ) throws(Problem) -> HandedURL {
        guard let string = String(validating: text, as: UTF8.self), let url = try? WebURL(string),
            url.description == string, url.isHTTP, !url.hasCredentials
        else { throw Problem("it has a text that is not a URL to fetch") }
        guard shard.contains(url) else { throw Problem("it has a URL of another shard") }
        let flags = try reader.byte()
        let code = Int(try reader.byte())
        guard flags < 32, let role = CrawlScope.Role(rawValue: Int(flags & 3)), code < Destination.allCases.count else {
            throw Problem("it has a URL of an unknown kind")
        }
        var handed = HandedURL(
            url,
            role: role,
            destination: Destination.allCases[code],
            depth: try reader.number(upTo: numberLimit),
            redirects: try reader.number(upTo: numberLimit),
            chain: try reader.number(upTo: numberLimit)
        )
        handed.isOptional = flags & 4 != 0
        handed.isListed = flags & 8 != 0
        handed.isPage = flags & 16 != 0
        return handed
    }

    /// Merges the blocks of several shards.
    ///
    /// - Parameter blocks: The URLs of each, in any order.
    /// - Returns: The URLs, sorted, each once.
    package static func merged(_ blocks: [[HandedURL]]) -> [HandedURL] {
        var merged: [HandedURL] = []
        for handed in blocks.joined().sorted(by: { $0.url < $1.url }) {
            if let last = merged.last, last.url == handed.url {
                merged[merged.count - 1] = last.merged(with: handed)
            } else {
                merged.append(handed)
            }
        }
        return merged
    }

    /// What is wrong with a block.
    package struct Problem: Error, Equatable, Sendable {
        /// A sentence; lower case, no full stop.
        package var message: String

        init(_ message: String) { self.message = message }
    }

    private struct Reader {
        let bytes: [UInt8]
        var position: Int

        mutating func byte() throws(Problem) -> UInt8 {
            guard position < bytes.count else { throw Problem("it ends early") }
            defer { position += 1 }
            return bytes[position]
        }

        mutating func bytes(_ count: Int) throws(Problem) -> ArraySlice<UInt8> {
            guard count <= bytes.count - position else { throw Problem("it ends early") }
            defer { position += count }
            return bytes[position..<(position + count)]
        }

        mutating func number(upTo limit: Int) throws(Problem) -> Int {
            var number = 0
            for shift in stride(from: 0, to: 35, by: 7) {
                let byte = try byte()
                number |= Int(byte & 0x7F) << shift
                guard byte & 0x80 == 0 else { continue }
                guard number <= limit else { break }
                return number
            }
            throw Problem("it has a number that is too large")
        }
    }
}

extension Destination {
    /// The place in the list of all, which is the form in a block.
    fileprivate var code: UInt8 { UInt8(Destination.allCases.firstIndex(of: self) ?? 0) }
}
