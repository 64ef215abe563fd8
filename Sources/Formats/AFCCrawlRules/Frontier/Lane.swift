/// One of the two queues of a crawl: URLs that wait, the first of them in a window, the last perhaps in the crawl's state
/// only.
struct Lane {
    /// What is asked for, or may be soon.
    var window = SlotWindow<Slot>()
    /// What comes next.
    var queue = SlotWindow<CrawlItem>()
    /// How many in the window have their answer.
    private(set) var answered = 0
    /// Up to which number of the window answers were looked at that may have to be read again.
    var recalledTo = 0
    /// How many more wait in the crawl's state only, after all that are in the queue.
    var stored = 0
    /// The last that is, or was, in the queue.
    var lastQueued: Int64 = 0

    private static let queueLimit = 16_384
    /// How many may be without an answer in the window.
    private static let windowLimit = 2048
    /// How many may be in the window at all.
    private static let longestWindow = 65_536

    /// Whether one more URL may come into the window.
    var hasRoom: Bool { window.count - answered < Self.windowLimit && window.count < Self.longestWindow }

    /// A URL of the window.
    struct Slot {
        var item: CrawlItem
        var status: Status
        /// What it takes up of what may be asked for.
        var claim: CrawlQuota.Claim = []
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
        /// It is asked for ahead of its turn, as one of ``Scouts``.
        case scouted
        /// What its answer refers to is read again.
        case recalling
        /// Its answer is among ``EarlyAnswers``.
        case done
        case refused(SkipRule)
    }

    /// How many URLs wait or are under way.
    var count: Int { window.count + queue.count + stored }

    /// Notes that a URL in the window has its answer.
    mutating func answer(_ number: Int) {
        window[number]?.status = .done
        answered += 1
    }

    /// Notes that a URL in the window is to be asked for again, as its answer can't be read.
    mutating func retract(_ number: Int) {
        window[number]?.status = .queued
        answered -= 1
    }

    /// Takes the first URL from the window.
    mutating func popFirst() -> Slot? {
        let slot = window.popFirst()
        switch slot?.status {
        case .done, .recalling: answered -= 1
        default: break
        }
        return slot
    }

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

/// A queue whose elements keep their numbers, from which only the first is taken.
struct SlotWindow<Element> {
    private var elements: [Element?] = []
    private var head = 0
    /// The number of the first element.
    private(set) var first = 0

    /// How many elements there are.
    var count: Int { elements.count - head }

    /// The number of the element that comes next.
    var end: Int { first + count }

    /// Adds an element.
    ///
    /// - Returns: Its number.
    mutating func append(_ element: Element) -> Int {
        elements.append(element)
        return end - 1
    }

    /// Takes the first element away, if there is one.
    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        first += 1
        if head >= 1024, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// The element of a number, or nil where it was taken away or never came; only an existing one can be set.
    subscript(number: Int) -> Element? {
        get { number >= first && number < end ? elements[head + number - first] : nil }
        set {
            precondition(number >= first && number < end, "no element has the number \(number)")
            elements[head + number - first] = newValue
        }
    }
}
