import TestSupport

@testable import AFCCache

/// A cache for tests of answers that come from another URL.
enum MatchingCache {
    /// Makes an empty cache.
    static func made() throws -> (cache: DiskCache, scratch: Scratch) {
        let scratch = try Scratch()
        return (try DiskCache(path: scratch.path("store"), access: .readWrite), scratch)
    }
}

extension CacheAnswer {
    /// Reads the whole body as text; nil if there is none.
    func text() throws -> String? {
        guard let body else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(body.size))
        let count = try bytes.withUnsafeMutableBytes { try body.read(into: $0, at: 0) }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
