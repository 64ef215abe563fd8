/// Reads a media presentation description of DASH; ISO/IEC 23009-1.
///
/// It finds the files of representations: whole ones (`BaseURL`), lists (`SegmentList`), their initialization
/// (`SegmentBase`), and those that a template composes from numbers or times (`SegmentTemplate`), with what the levels
/// above a representation say. Of several `BaseURL` at a level, which are alternatives, the first counts. An element
/// elsewhere (`xlink:href`, §5.5) is a reference, and is read as a part of a presentation of unknown duration.
struct DASHManifest {
    /// A segment of a time line.
    private struct Run {
        var time: Int?
        var duration: Int
        /// The number of further segments of the same duration, or -1 for all until the next run.
        var repeats: Int
    }

    /// What a level says about segments, with what it inherits.
    private struct Segments {
        /// The attributes of `SegmentTemplate`, `SegmentList` or `SegmentBase`.
        var attributes: [String: String] = [:]
        var isTemplate = false
        var hasSegments = false
        var timeline: [Run] = []
        /// The addresses of a list and of initializations and indexes, with their attributes' names.
        var addresses: [(text: String, name: String, offset: Int)] = []

        func number(_ name: String) -> Int? { attributes[name].flatMap { Int($0) } }
    }

    /// A level: the presentation, a period, a set or a representation.
    private struct Level {
        var name: String
        var bases: [String]
        var segments: Segments
        var isProtected: Bool
        var hasBase = false
        /// True once this level itself has stated its base.
        var hasOwnBase = false
        var id = ""
        var rate = 0
        /// True once this level itself has said something about segments.
        var hasOwn = false
    }

    /// A representation that has been read.
    private struct Representation {
        var level: Level
        var period: Int
    }

    /// The largest number of representations.
    private static let representationLimit = 10_000
    /// The largest number of runs of all time lines together.
    private static let runLimit = 1_000_000
    /// The largest time and duration of a run, so that sums don't overflow.
    private static let longest = 1 << 60

    private var tokenizer: HTMLTokenizer
    private let limits: DiscoveryLimits
    private let selection: MediaSelection
    private(set) var list = ReferenceList()

    private var levels: [Level] = []
    /// The representations of the current set.
    private var set: [Representation] = []
    /// The sets of the presentation.
    private var sets: [[Representation]] = []
    private var count = 0
    private var runs = 0
    /// The start of each period, if stated, and its duration, in seconds.
    private var periods: [(start: Double?, duration: Double?)] = []
    private var duration: Double?
    /// The duration of each period in seconds, which may follow from the start of the next one.
    private var lengths: [Double?] = []
    private var isLive = false
    /// True for an element that a description elsewhere refers to, so that its addresses may have another base.
    private var isRemote = false
    /// The text of an open `BaseURL`.
    private var baseText: [UInt8]?
    /// The number of addresses that may still be composed.
    private var rest: Int

    /// Reads a description.
    init(_ text: ScanBuffer, _ selection: MediaSelection, _ limits: DiscoveryLimits) {
        tokenizer = HTMLTokenizer(text)
        tokenizer.isXML = true
        tokenizer.allowsCDATA = true
        self.limits = limits
        self.selection = selection
        rest = limits.references
        while let token = tokenizer.next() {
            switch token {
            case .startTag:
                let name = name
                open(name)
                if tokenizer.isSelfClosing { close(name) }
            case .endTag: close(name)
            case .text:
                if baseText != nil { appendBase() }
            case .comment, .doctype: break
            }
        }
        // The levels above a remote element have no end tags.
        while isRemote, let last = levels.last { close(last.name) }
        closeSet()
        lengths = Self.lengths(of: periods, until: duration)
        if selection != .none { for set in sets where !list.isFull { add(set) } }
        if isLive, selection != .none { list.cut(.live) }
        list.finish()
    }

    // MARK: Elements

    /// The current tag's name without its prefix.
    private var name: String {
        let range = tokenizer.range
        let colon = tokenizer.bytes.find(UInt8(ascii: ":"), from: range.lowerBound, to: range.upperBound)
        guard range.count <= 64 else { return "" }
        return tokenizer.bytes.string(colon < range.upperBound ? colon + 1..<range.upperBound : range)
    }

    private var attributes: [String: String] {
        var attributes: [String: String] = [:]
        for attribute in tokenizer.attributes.prefix(64)
        where attribute.nameRange.count <= 64 && attribute.valueRange.count <= limits.referenceBytes {
            let name = tokenizer.bytes.string(attribute.nameRange)
            attributes[name] = attributes[name] ?? HTMLText.attribute(tokenizer.bytes, attribute.valueRange)
        }
        return attributes
    }

    private mutating func open(_ name: String) {
        if levels.isEmpty { begin(name) }
        switch name {
        case "MPD":
            let attributes = attributes
            isLive = attributes["type"] == "dynamic"
            duration = attributes["mediaPresentationDuration"].flatMap(DASHDuration.seconds)
            levels = [Level(name: name, bases: [], segments: Segments(), isProtected: false)]
        case "Period":
            guard enter(name, below: "MPD") else { return }
            let attributes = attributes
            remote(attributes)
            let start = attributes["start"].flatMap(DASHDuration.seconds)
            periods.append((start, attributes["duration"].flatMap(DASHDuration.seconds)))
        case "AdaptationSet":
            guard enter(name, below: "Period") else { return }
            remote(attributes)
            closeSet()
        case "Representation":
            guard enter(name, below: "AdaptationSet") else { return }
            let attributes = attributes
            levels[levels.count - 1].id = attributes["id"] ?? ""
            levels[levels.count - 1].rate = attributes["bandwidth"].flatMap { Int($0) } ?? 0
        case "BaseURL": baseText = []
        case "ContentProtection": if !levels.isEmpty { levels[levels.count - 1].isProtected = true }
        case "SegmentTemplate", "SegmentList", "SegmentBase": segments(name)
        case "SegmentTimeline": if !levels.isEmpty { levels[levels.count - 1].segments.timeline = [] }
        case "S": run()
        case "Initialization", "RepresentationIndex", "BitstreamSwitching": address("sourceURL")
        case "SegmentURL":
            address("media")
            address("index")
        default: break
        }
    }

    private mutating func close(_ name: String) {
        switch name {
        case "BaseURL": closeBase()
        case "MPD", "Period", "AdaptationSet", "Representation":
            guard let level = levels.last, level.name == name else { return }
            levels.removeLast()
            if name == "Representation" { keep(level) }
        default: break
        }
    }

    /// Enters a level, which inherits from the one that contains it.
    private mutating func enter(_ name: String, below parent: String) -> Bool {
        while let last = levels.last, last.name != parent, levels.count > 1 { close(last.name) }
        guard var level = levels.last, level.name == parent else { return false }
        level.name = name
        level.hasOwn = false
        level.hasOwnBase = false
        levels.append(level)
        return true
    }

    /// Begins with the levels above the first element, if it is one that a description elsewhere refers to.
    private mutating func begin(_ name: String) {
        let names = ["MPD", "Period", "AdaptationSet", "Representation"]
        guard let count = ["MPD", "Period", "AdaptationSet", "", "SegmentList"].firstIndex(of: name), count > 0 else {
            return
        }
        isRemote = true
        levels = names.prefix(count).map { Level(name: $0, bases: [], segments: Segments(), isProtected: false) }
        if count > 1 { periods.append((nil, nil)) }
    }

    /// Adds the address of an element that is elsewhere; the name's prefix may be any.
    private mutating func remote(_ attributes: [String: String]) {
        guard selection != .none, let address = attributes["xlink:href"], let level = levels.last, rest > 0 else {
            return
        }
        rest -= 1
        var reference = Reference(address, .requisite, .media, attribute: "xlink:href", at: tokenizer.tokenStart)
        reference.resolution = .utf8Address
        reference.bases = level.bases
        list.add(reference, limits)
    }

    private mutating func appendBase() {
        guard let text = baseText, text.count + tokenizer.range.count <= limits.referenceBytes else { return }
        var bytes = text
        baseText = nil
        HTMLText.append(tokenizer.bytes, tokenizer.range, tokenizer.textModel, to: &bytes)
        baseText = bytes
    }

    private mutating func closeBase() {
        guard let bytes = baseText, let level = levels.last else { return }
        baseText = nil
        let text = String(trimming: bytes)
        guard !text.isEmpty, !level.hasOwnBase else { return }
        levels[levels.count - 1].bases.append(text)
        levels[levels.count - 1].hasBase = true
        levels[levels.count - 1].hasOwnBase = true
    }

    private mutating func segments(_ name: String) {
        guard !levels.isEmpty else { return }
        let attributes = attributes
        remote(attributes)
        let last = levels.count - 1
        if !levels[last].hasOwn {
            levels[last].hasOwn = true
            levels[last].segments.addresses.removeAll { $0.name != "sourceURL" }
        }
        levels[last].segments.attributes.merge(attributes) { $1 }
        levels[last].segments.isTemplate = name == "SegmentTemplate"
        levels[last].segments.hasSegments = name != "SegmentBase"
    }

    private mutating func run() {
        guard !levels.isEmpty, runs < Self.runLimit else { return list.cut(.references) }
        let attributes = attributes
        guard let duration = attributes["d"].flatMap({ Int($0) }), (1...Self.longest).contains(duration) else { return }
        runs += 1
        let time = attributes["t"].flatMap { Int($0) }.flatMap { (0...Self.longest).contains($0) ? $0 : nil }
        let repeats = attributes["r"].flatMap { Int($0) } ?? 0
        levels[levels.count - 1].segments.timeline.append(Run(time: time, duration: duration, repeats: repeats))
    }

    private mutating func address(_ attribute: String) {
        guard !levels.isEmpty, let text = attributes[attribute], !text.isEmpty else { return }
        guard rest > 0 else { return list.cut(.references) }
        rest -= 1
        levels[levels.count - 1].segments.addresses.append((text, attribute, tokenizer.tokenStart))
    }

    private mutating func keep(_ level: Level) {
        guard count < Self.representationLimit else { return list.cut(.references) }
        count += 1
        set.append(Representation(level: level, period: periods.count - 1))
    }

    private mutating func closeSet() {
        if !set.isEmpty { sets.append(set) }
        set = []
    }

    // MARK: Files

    private mutating func add(_ set: [Representation]) {
        let open = set.filter { !$0.level.isProtected }
        if open.count < set.count { list.cut(.protection) }
        for place in selection.chosen(of: open.map(\.level.rate)) where !list.isFull { add(open[place]) }
    }

    private mutating func add(_ representation: Representation) {
        let level = representation.level
        let segments = level.segments
        for (text, name, offset) in segments.addresses { add(text, name, level, at: offset) }
        if segments.isTemplate {
            addTemplates(representation)
        } else if level.hasBase, !(segments.hasSegments && segments.addresses.contains { $0.name == "media" }) {
            // The whole file is at the last base, unless that is a folder.
            var above = level
            let text = above.bases.removeLast()
            if !text.hasSuffix("/") { add(text, "BaseURL", above, at: 0) }
        }
    }

    private mutating func add(_ text: String, _ name: String, _ level: Level, at offset: Int) {
        var reference = Reference(text, .requisite, .segment, attribute: name, at: offset)
        reference.resolution = .utf8Address
        reference.bases = level.bases
        reference.isConditional = isRemote
        list.add(reference, limits)
    }

    private mutating func addTemplates(_ representation: Representation) {
        let level = representation.level
        for name in ["initialization", "index"] {
            guard let text = level.segments.attributes[name],
                let template = DASHTemplate(text, id: level.id, rate: level.rate), !template.isNumbered
            else { continue }
            add(template.address(number: 0, time: 0), name, level, at: 0)
        }
        guard let text = level.segments.attributes["media"],
            let template = DASHTemplate(text, id: level.id, rate: level.rate)
        else { return }
        guard template.isNumbered else { return add(template.address(number: 0, time: 0), "media", level, at: 0) }
        if level.segments.timeline.isEmpty {
            addNumbers(template, representation)
        } else {
            addTimeline(template, representation)
        }
    }

    /// Adds the address of a segment; returns false if there is no more room.
    private mutating func add(_ template: DASHTemplate, _ level: Level, number: Int, time: Int) -> Bool {
        guard rest > 0, !list.isFull else {
            list.cut(.references)
            return false
        }
        rest -= 1
        add(template.address(number: number, time: time), "media", level, at: 0)
        return true
    }

    /// Adds segments of equal duration.
    private mutating func addNumbers(_ template: DASHTemplate, _ representation: Representation) {
        let segments = representation.level.segments
        let first = segments.number("startNumber") ?? 1
        let scale = segments.number("timescale") ?? 1
        guard first >= 0, first <= Int32.max, scale > 0 else { return }
        let length = segments.number("duration") ?? 0
        var count: Int?
        if let last = segments.number("endNumber"), last >= first, last <= Int32.max { count = last - first + 1 }
        if count == nil, length > 0, !isLive, let seconds = seconds(of: representation.period) {
            let exact = seconds * Double(scale) / Double(length)
            // A last segment that is only a rounding error doesn't exist.
            if exact <= Double(limits.references) { count = max(1, Int((exact - 0.001).rounded(.up))) }
        }
        guard let count else {
            if !isLive { list.cut(.references) }
            return
        }
        for index in 0..<count {
            let (time, overflow) = index.multipliedReportingOverflow(by: length)
            guard !overflow, add(template, representation.level, number: first + index, time: time) else { return }
        }
    }

    private mutating func addTimeline(_ template: DASHTemplate, _ representation: Representation) {
        let segments = representation.level.segments
        let scale = segments.number("timescale") ?? 1
        var number = segments.number("startNumber") ?? 1
        var time = 0
        guard scale > 0, number >= 0, number <= Int32.max else { return }
        let offset = segments.number("presentationTimeOffset") ?? 0
        for (index, run) in segments.timeline.enumerated() {
            if let start = run.time { time = start }
            var repeats = run.repeats
            if repeats < 0 {
                let next = index + 1 < segments.timeline.count ? segments.timeline[index + 1].time : nil
                guard let end = next ?? end(of: representation.period, scale, offset), end > time else { return }
                repeats = (end - time + run.duration - 1) / run.duration - 1
            }
            guard repeats >= 0 else { continue }
            for _ in 0...min(repeats, limits.references) {
                guard add(template, representation.level, number: number, time: time) else { return }
                number += 1
                let (next, overflow) = time.addingReportingOverflow(run.duration)
                guard !overflow else { return }
                time = next
            }
        }
    }

    /// Returns the end of a period on the time line of its segments.
    private func end(of period: Int, _ scale: Int, _ offset: Int) -> Int? {
        guard !isLive, let seconds = seconds(of: period) else { return nil }
        let exact = seconds * Double(scale) + Double(offset)
        return exact < 0x1p62 ? Int(exact.rounded(.up)) : nil
    }

    private func seconds(of period: Int) -> Double? { lengths.indices.contains(period) ? lengths[period] : nil }

    private static func lengths(of periods: [(start: Double?, duration: Double?)], until end: Double?) -> [Double?] {
        var lengths: [Double?] = []
        var start = 0.0
        for (index, period) in periods.enumerated() {
            start = period.start ?? start
            let next = index + 1 < periods.count ? periods[index + 1].start : end
            let length = period.duration ?? next.map { max(0, $0 - start) }
            lengths.append(length)
            start += length ?? 0
        }
        return lengths
    }
}
