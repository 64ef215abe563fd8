package import AFCURL
internal import Crypto

/// One of 2ᵏ parts of a crawl; a host lies in one of them, and so do all hosts of its registrable domain.
package struct CrawlShard: Sendable, Hashable {
    /// The largest number of bits: 1,024 shards.
    package static let bitLimit = 10

    /// The number, from 1.
    package let number: Int
    /// The number of bits of the hash that number the shards.
    package let bits: Int

    /// How many shards there are.
    package var count: Int { 1 << bits }

    /// Creates a shard; nil unless the number is at most the count, and the bits at most ``bitLimit``.
    package init?(_ number: Int, bits: Int) {
        guard (0...Self.bitLimit).contains(bits), (1...(1 << bits)).contains(number) else { return nil }
        (self.number, self.bits) = (number, bits)
    }

    /// Returns the number of the shard to which a URL belongs: one more than the first bits of the SHA-256 of its registrable
    /// domain, or of its host if it has none.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - bits: The number of bits.
    /// - Returns: The number, from 1.
    package static func number(of url: WebURL, bits: Int) -> Int {
        let name = url.registrableDomain ?? url.host ?? ""
        let first = SHA256.hash(data: Array(name.utf8)).prefix(2).reduce(0) { $0 << 8 | Int($1) }
        return first >> (16 - bits) + 1
    }

    /// Returns true if a URL belongs to the shard.
    package func contains(_ url: WebURL) -> Bool { Self.number(of: url, bits: bits) == number }
}

/// Decides quickly which URLs belong to a shard.
struct ShardBorder: Sendable {
    private let shard: CrawlShard
    /// What is known of hosts, since finding the registrable domain takes longer than finding a URL.
    private var hosts: [String: Bool] = [:]
    private static let hostLimit = 1 << 16

    init(_ shard: CrawlShard) { self.shard = shard }

    mutating func contains(_ url: WebURL) -> Bool {
        let host = url.host ?? ""
        if let known = hosts[host] { return known }
        if hosts.count >= Self.hostLimit { hosts = [:] }
        let isOwn = shard.contains(url)
        hosts[host] = isOwn
        return isOwn
    }
}
