package import AFCURL

/// The key of a URL in the set of known URLs.
///
/// The hash has a new seed in each process, so no site can choose URLs that collide. Among a thousand million URLs, two
/// share a key in one of 10²⁰ crawls.
package struct URLKey: Hashable, Sendable {
    fileprivate let high: UInt64
    fileprivate let low: UInt64

    package init(_ url: WebURL) {
        var text = url.description
        (high, low) = text.withUTF8 { bytes in
            var one = Hasher()
            one.combine(bytes: UnsafeRawBufferPointer(bytes))
            var other = one
            one.combine(UInt8(1))
            other.combine(UInt8(2))
            return (
                UInt64(truncatingIfNeeded: one.finalize()), UInt64(truncatingIfNeeded: other.finalize())
            )
        }
    }
}

/// The state of every URL that a crawl has found, in 24 bytes each plus unused capacity.
struct KnownURLs {
    /// The progress of a URL.
    enum State: Equatable {
        case waiting
        case taken
        /// Taken, but if a page refers to it as a page, its answer must be read again.
        case misplaced
        case refused(SkipRule)

        /// True if the URL's answer was taken.
        var isTaken: Bool { self == .taken || self == .misplaced }
    }

    /// The state of one URL.
    struct Entry: Equatable {
        /// The URL's number, in the order in which URLs were found.
        var id: Int64
        /// The strongest role in which it was found.
        var role: CrawlScope.Role
        /// The smallest number of links from a seed.
        var depth: Int
        /// The URL's progress.
        var state: State
        /// True if it was found as a page: a link, a frame, or a seed.
        var isPage = false
    }

    /// The number of known URLs.
    private(set) var count = 0
    private var keys: [URLKey]
    /// The packed entries; zero marks a free place.
    private var values: [UInt64]

    init() {
        keys = Array(repeating: URLKey(high: 0, low: 0), count: 1024)
        values = Array(repeating: 0, count: 1024)
    }

    /// The entry of a URL, or nil if the URL is new; entries can't be removed.
    subscript(key: URLKey) -> Entry? {
        get {
            let value = values[slot(of: key)]
            return value == 0 ? nil : Entry(packed: value)
        }
        set {
            guard let newValue else { return }
            var index = slot(of: key)
            if values[index] == 0 {
                if count * 4 >= values.count * 3 {
                    grow()
                    index = slot(of: key)
                }
                keys[index] = key
                count += 1
            }
            values[index] = newValue.packed
        }
    }

    private func slot(of key: URLKey) -> Int {
        let mask = values.count - 1
        var index = Int(truncatingIfNeeded: key.low) & mask
        while values[index] != 0, keys[index] != key { index = (index + 1) & mask }
        return index
    }

    private mutating func grow() {
        let (oldKeys, oldValues) = (keys, values)
        keys = Array(repeating: URLKey(high: 0, low: 0), count: oldValues.count * 2)
        values = Array(repeating: 0, count: oldValues.count * 2)
        for index in oldValues.indices where oldValues[index] != 0 {
            let place = slot(of: oldKeys[index])
            keys[place] = oldKeys[index]
            values[place] = oldValues[index]
        }
    }
}

extension URLKey {
    fileprivate init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

extension KnownURLs.Entry {
    private static let greatestDepth = 0xFFFF
    private static let rules = SkipRule.allCases

    private static let pageBit: UInt64 = 1 << 63

    /// Unpacks an entry: from the lowest bit, 6 bits of state, 2 of role, 16 of depth, 39 of number, 1 for pages.
    fileprivate init?(packed: UInt64) {
        guard let role = CrawlScope.Role(rawValue: Int(packed >> 6 & 3)) else { return nil }
        let state: KnownURLs.State
        switch packed & 0x3F {
        case 1: state = .waiting
        case 2: state = .taken
        case 3: state = .misplaced
        case let value: state = .refused(Self.rules[Int(value) - 4])
        }
        self.init(
            id: Int64((packed & ~Self.pageBit) >> 24),
            role: role,
            depth: Int(packed >> 8 & 0xFFFF),
            state: state,
            isPage: packed & Self.pageBit != 0
        )
    }

    fileprivate var packed: UInt64 {
        let bits: UInt64 =
            switch state {
            case .waiting: 1
            case .taken: 2
            case .misplaced: 3
            case .refused(let rule): UInt64(Self.rules.firstIndex(of: rule) ?? 0) + 4
            }
        return UInt64(id) << 24 | UInt64(min(depth, Self.greatestDepth)) << 8 | UInt64(role.rawValue) << 6 | bits
            | (isPage ? Self.pageBit : 0)
    }
}
