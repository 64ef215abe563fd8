internal import URLStandard

/// One of the two queues of a crawl: URLs that wait, the first of them in a window, the last perhaps in the crawl's state
/// only.
struct Lane {
    /// What is asked for, or may be soon.
    var window = SlotWindow<Slot>()
    /// What comes next.
    var queue = SlotWindow<CrawlItem>()
    /// How many more wait in the crawl's state only, after all that are in the queue.
    var stored = 0
    /// The last that is, or was, in the queue.
    var lastQueued: Int64 = 0

    private static let queueLimit = 16_384

    /// A URL of the window.
    struct Slot {
        var item: CrawlItem
        var status: Status
        /// Whether it takes up one of the pages that may be asked for.
        var isCounted = false
        /// Whether it may take up one once its origin's robots.txt is known.
        var isHeldPage = false
        /// How often it was asked for in vain.
        var attempts = 0
    }

    /// How far a URL in the window is.
    enum Status {
        /// Its origin's robots.txt isn't known yet.
        case held
        /// Whether there is room for one more page is known when it comes to the head.
        case deferred
        /// It waits until its host may be asked.
        case queued
        case running
        case done(FetchOutcome)
        case refused(SkipRule)
    }

    /// How many URLs wait or are under way.
    var count: Int { window.count + queue.count + stored }

    /// Adds a URL that stands in the crawl's state, or will.
    mutating func append(_ item: CrawlItem) {
        if stored > 0 || queue.count >= Self.queueLimit {
            stored += 1
        } else {
            _ = queue.append(item)
            lastQueued = item.id
        }
    }

    /// How many URLs are to be read from the crawl's state, or nil: enough are at hand.
    var wanted: Int? { queue.count == 0 && stored > 0 ? Self.queueLimit : nil }

    /// Takes URLs that were read from the crawl's state.
    mutating func load(_ items: [CrawlItem]) {
        stored = items.isEmpty ? 0 : stored - items.count
        for item in items {
            _ = queue.append(item)
            lastQueued = item.id
        }
    }
}
