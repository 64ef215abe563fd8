/// One of the three queues of a crawl: the first URLs are in a window, and the last may be in the crawl's state only.
struct Lane {
    /// The URLs that are requested, or may be soon.
    var window = SlotWindow<Slot>()
    /// The URLs that follow the window.
    var queue = SlotWindow<CrawlItem>()
    /// The number of the last URL that entered the window.
    var lastAdmitted: Int64 = 0
    /// The number of answered URLs in the window.
    private(set) var answered = 0
    /// The number of the window's URL up to which answers have been checked for references to read again.
    var recalledTo = 0
    /// The number of further URLs in the crawl's state, which follow the queue.
    var stored = 0
    /// The number of the last URL that entered the queue.
    var lastQueued: Int64 = 0

    private static let queueLimit = 16_384
    /// The largest number of unanswered URLs in the window.
    private static let windowLimit = 2048
    /// The largest number of URLs in the window.
    private static let longestWindow = 65_536

    /// True if one more URL may enter the window.
    var hasRoom: Bool { window.count - answered < Self.windowLimit && window.count < Self.longestWindow }

    /// A URL in the window.
    struct Slot {
        var item: CrawlItem
        private(set) var status = Status.held
        /// The room that it has claimed from the quota.
        var claim: CrawlQuota.Claim = []
        /// The number of failed attempts.
        var attempts = 0

        /// Moves on after an event; one that can't happen in a status changes nothing.
        mutating func apply(_ event: Event) { status = status.after(event) ?? status }
    }

    /// The progress of a URL in the window.
    enum Status: Equatable {
        /// The URL waits for its origin's robots.txt.
        case held
        /// The URL waits until it is at the head of the window, where the page limit or ``GuessTrials`` decides on it.
        case deferred
        /// The URL waits for its host's turn.
        case queued
        case running
        /// One of ``Scouts`` is requesting the URL ahead of its turn.
        case scouted
        /// The answer's references are being read again.
        case recalling
        /// The answer is among ``EarlyAnswers``.
        case done
        case refused(SkipRule)

        /// True if the URL has its answer.
        var isAnswered: Bool { self == .done || self == .recalling }

        /// Returns the status after an event; nil if the event can't happen in this one.
        func after(_ event: Event) -> Status? {
            switch (self, event) {
            case (.held, .postpone), (.deferred, .postpone): .deferred
            case (.held, .enqueue), (.deferred, .enqueue), (.running, .enqueue), (.recalling, .enqueue): .queued
            case (.held, .scout), (.deferred, .scout): .scouted
            case (.queued, .start): .running
            case (.held, .answer), (.deferred, .answer), (.running, .answer), (.scouted, .answer): .done
            case (.done, .recall): .recalling
            case (.recalling, .answer): .done
            case (.held, .refuse(let rule)), (.deferred, .refuse(let rule)), (.queued, .refuse(let rule)),
                (.running, .refuse(let rule)), (.scouted, .refuse(let rule)):
                .refused(rule)
            case (.held, .start), (.held, .recall), (.deferred, .start), (.deferred, .recall), (.queued, .postpone),
                (.queued, .enqueue), (.queued, .scout), (.queued, .answer), (.queued, .recall), (.running, .postpone),
                (.running, .scout), (.running, .start), (.running, .recall), (.scouted, .postpone),
                (.scouted, .enqueue), (.scouted, .scout), (.scouted, .start), (.scouted, .recall),
                (.recalling, .postpone), (.recalling, .scout), (.recalling, .start), (.recalling, .recall),
                (.recalling, .refuse), (.done, .postpone), (.done, .enqueue), (.done, .scout), (.done, .start),
                (.done, .answer), (.done, .refuse), (.refused, .postpone), (.refused, .enqueue), (.refused, .scout),
                (.refused, .start), (.refused, .answer), (.refused, .recall), (.refused, .refuse):
                nil
            }
        }
    }

    /// An event of a URL in the window.
    enum Event {
        /// It must wait until it is at the head of the window.
        case postpone
        /// It is to be requested, possibly again.
        case enqueue
        /// It turns out that one of ``Scouts`` is requesting it.
        case scout
        case start
        /// Its answer is there, or was read again.
        case answer
        /// Its answer is to be read again.
        case recall
        case refuse(SkipRule)
    }

    /// The number of URLs that wait or are in progress.
    var count: Int { window.count + queue.count + stored }

    /// The numbers of the URLs that wait until they are at the head of the window.
    var deferred: [Int] {
        (window.first..<window.end).filter { window[$0]?.status == .deferred }
    }

    /// Moves a URL in the window on after an event.
    mutating func apply(_ event: Event, to number: Int) {
        guard var slot = window[number] else { return }
        let wasAnswered = slot.status.isAnswered
        slot.apply(event)
        window[number] = slot
        if slot.status.isAnswered != wasAnswered { answered += wasAnswered ? -1 : 1 }
    }

    /// Removes the first URL from the window.
    mutating func popFirst() -> Slot? {
        let slot = window.popFirst()
        if slot?.status.isAnswered ?? false { answered -= 1 }
        return slot
    }

    /// Adds a URL that is, or soon will be, in the crawl's state.
    mutating func append(_ item: CrawlItem) {
        if stored > 0 || queue.count >= Self.queueLimit {
            stored += 1
        } else {
            _ = queue.append(item)
            lastQueued = item.id
        }
    }

    /// The number of URLs to read from the crawl's state, or nil if none are needed.
    var wanted: Int? { queue.count == 0 && stored > 0 ? Self.queueLimit : nil }

    /// Adds URLs that were read from the crawl's state.
    mutating func load(_ items: [CrawlItem]) {
        stored = items.isEmpty ? 0 : stored - items.count
        for item in items {
            _ = queue.append(item)
            lastQueued = item.id
        }
    }
}

/// A queue whose elements keep their numbers, with removal at the front only.
struct SlotWindow<Element> {
    private var elements: [Element?] = []
    private var head = 0
    /// The number of the first element.
    private(set) var first = 0

    /// The number of elements.
    var count: Int { elements.count - head }

    /// The number of the next element to be added.
    var end: Int { first + count }

    /// Adds an element.
    ///
    /// - Returns: The element's number.
    mutating func append(_ element: Element) -> Int {
        elements.append(element)
        return end - 1
    }

    /// Removes and returns the first element, if there is one.
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

    /// The element with a number, or nil if it was removed or never existed; only an existing one can be set.
    subscript(number: Int) -> Element? {
        get { number >= first && number < end ? elements[head + number - first] : nil }
        set {
            precondition(number >= first && number < end, "no element has the number \(number)")
            elements[head + number - first] = newValue
        }
    }
}
