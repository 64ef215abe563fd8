internal import AFCURL

/// Reads a playlist of HTTP Live Streaming; RFC 8216.
///
/// A multivariant playlist names the playlists of streams, and a media playlist names segments, their initialization
/// sections and keys. Of the playlist of a stream, only segments are read, so that playlists can't be nested further.
/// Variables of `EXT-X-DEFINE` are substituted, also those that a media playlist imports from the multivariant one.
struct HLSPlaylist {
    /// The largest number of variables.
    private static let variableLimit = 256
    /// The largest number of streams of a playlist.
    private static let streamLimit = 10_000

    /// A stream, or a rendition of its sound or subtitles.
    private struct Stream {
        var address: String
        var offset: Int
        /// The bit rate, in bits per second; 0 if it is missing.
        var rate = 0
        /// The group of a rendition, or the groups whose renditions belong to a stream.
        var groups: [String] = []
    }

    private let text: ScanBuffer
    private let limits: DiscoveryLimits
    private let selection: MediaSelection
    /// True for the playlist of a stream, whose own streams are ignored.
    private let isRendition: Bool
    private let query: [String: String]
    /// The variables of the multivariant playlist.
    private let imported: [String: String]
    private(set) var list = ReferenceList()
    /// The variables that the playlist defines.
    private(set) var variables: [String: String] = [:]

    private var streams: [Stream] = []
    private var renditions: [Stream] = []
    private var trickStreams: [Stream] = []
    /// The attributes of the stream whose address is in the next line.
    private var next: [String: String]?
    private var isMedia = false
    private var hasEnd = false
    /// The keys of the next segment: whether one can be fetched, and whether one belongs to a system of protection.
    private var keys = (isUsable: false, isProtected: false, isOld: true)

    /// Reads a playlist.
    ///
    /// - Parameters:
    ///   - text: The playlist in UTF-8.
    ///   - url: Its URL, whose query may define variables.
    ///   - selection: The streams to take.
    ///   - isRendition: True for a playlist that another one names.
    ///   - imported: The variables of that one.
    ///   - limits: The limits on what is taken.
    init(
        _ text: ScanBuffer,
        url: WebURL,
        _ selection: MediaSelection,
        isRendition: Bool,
        imported: [String: String] = [:],
        _ limits: DiscoveryLimits
    ) {
        self.text = text
        self.limits = limits
        self.selection = selection
        self.isRendition = isRendition
        self.imported = imported
        query = Self.parameters(url.query ?? "")
        guard Self.isPlaylist(text) else { return }
        TextLines.forEach(in: text) { range in
            if text[range.lowerBound] == UInt8(ascii: "#") { tag(range) } else { address(range) }
            return !list.isFull
        }
        addStreams()
        if isMedia, !hasEnd, selection != .none { list.cut(.live) }
        list.finish()
    }

    /// Returns true if a text begins as a playlist must.
    static func isPlaylist(_ text: ScanBuffer) -> Bool {
        text.hasPrefix("#extm3u", at: text.hasPrefix("\u{FEFF}", at: 0) ? 3 : 0)
    }

    // MARK: Lines

    /// Reads a line that is an address: that of a segment, or of the stream that the previous line describes.
    private mutating func address(_ range: Range<Int>) {
        guard range.count <= limits.referenceBytes else { return list.cut(.referenceBytes) }
        guard let address = substituted(text.string(range)) else { return list.cut(.variables) }
        if let attributes = next {
            next = nil
            guard streams.count < Self.streamLimit else { return list.cut(.references) }
            let groups = ["AUDIO", "VIDEO", "SUBTITLES", "CLOSED-CAPTIONS"].compactMap { attributes[$0] }
            let rate = attributes["BANDWIDTH"].flatMap { Int($0) } ?? 0
            streams.append(Stream(address: address, offset: range.lowerBound, rate: rate, groups: groups))
        } else if selection != .none {
            if keys.isProtected, !keys.isUsable {
                list.cut(.protection)
            } else {
                add(address, .segment, "EXTINF", at: range.lowerBound)
            }
            keys.isOld = true
        }
    }

    private mutating func tag(_ range: Range<Int>) {
        guard text.hasPrefix("#ext-x-", at: range.lowerBound) else { return }
        let colon = text.find(UInt8(ascii: ":"), from: range.lowerBound, to: range.upperBound)
        let name = text.string(range.lowerBound + 1..<colon)
        let value = min(colon + 1, range.upperBound)..<range.upperBound
        switch name {
        case "EXT-X-ENDLIST": hasEnd = true
        case "EXT-X-TARGETDURATION": isMedia = true
        case "EXT-X-PLAYLIST-TYPE": if text.hasPrefix("vod", at: value.lowerBound) { hasEnd = true }
        case "EXT-X-DEFINE": define(attributes(value))
        case "EXT-X-STREAM-INF": next = attributes(value)
        case "EXT-X-I-FRAME-STREAM-INF", "EXT-X-IMAGE-STREAM-INF":
            keep(attributes(value), at: value.lowerBound, in: \.trickStreams)
        case "EXT-X-MEDIA": keep(attributes(value), at: value.lowerBound, in: \.renditions)
        case "EXT-X-KEY": key(attributes(value), name, at: value.lowerBound)
        case "EXT-X-SESSION-KEY": sessionKey(attributes(value), name, at: value.lowerBound)
        case "EXT-X-MAP", "EXT-X-SESSION-DATA":
            let isFetched = selection != .none && !(name == "EXT-X-MAP" && keys.isProtected && !keys.isUsable)
            guard isFetched, let address = attributes(value)["URI"] else { return }
            add(address, .segment, name, at: value.lowerBound)
        default: break
        }
    }

    private mutating func keep(
        _ attributes: [String: String],
        at offset: Int,
        in streams: WritableKeyPath<HLSPlaylist, [Stream]>
    ) {
        guard let address = attributes["URI"] else { return }
        guard self[keyPath: streams].count < Self.streamLimit else { return list.cut(.references) }
        let groups = attributes["GROUP-ID"].map { [$0] } ?? []
        self[keyPath: streams].append(Stream(address: address, offset: offset, groups: groups))
    }

    private mutating func add(_ address: String, _ loads: Destination, _ name: String, at offset: Int) {
        var reference = Reference(address, .requisite, loads, attribute: name, at: offset)
        reference.resolution = .utf8Address
        list.add(reference, limits)
    }

    // MARK: Streams

    private mutating func addStreams() {
        guard !isRendition, selection != .none else { return }
        let chosen = selection.chosen(of: streams.map(\.rate)).map { streams[$0] }
        for stream in chosen { add(stream.address, .rendition, "EXT-X-STREAM-INF", at: stream.offset) }
        let groups = Set(chosen.flatMap(\.groups))
        for rendition in renditions
        where selection == .all || streams.isEmpty || rendition.groups.contains(where: groups.contains) {
            add(rendition.address, .rendition, "EXT-X-MEDIA", at: rendition.offset)
        }
        guard selection == .all else { return }
        for stream in trickStreams { add(stream.address, .rendition, "EXT-X-I-FRAME-STREAM-INF", at: stream.offset) }
    }

    // MARK: Keys

    /// Returns true for a key that isn't an address but a request to a system of protection.
    private static func isProtected(_ attributes: [String: String]) -> Bool {
        let format = attributes["KEYFORMAT"] ?? "identity"
        return format != "identity" || attributes["URI"]?.hasPrefix("skd:") ?? false
    }

    /// Reads a key; several in a row are different ways to the same one.
    private mutating func key(_ attributes: [String: String], _ name: String, at offset: Int) {
        if keys.isOld { keys = (false, false, false) }
        guard attributes["METHOD"] != "NONE" else { return keys.isUsable = true }
        guard !Self.isProtected(attributes) else { return keys.isProtected = true }
        keys.isUsable = true
        guard selection != .none, let address = attributes["URI"] else { return }
        add(address, .segment, name, at: offset)
    }

    private mutating func sessionKey(_ attributes: [String: String], _ name: String, at offset: Int) {
        guard selection != .none else { return }
        guard !Self.isProtected(attributes) else { return list.cut(.protection) }
        if let address = attributes["URI"] { add(address, .segment, name, at: offset) }
    }

    // MARK: Attributes and variables

    /// Reads a list of attributes, in which commas may be quoted.
    private mutating func attributes(_ range: Range<Int>) -> [String: String] {
        var attributes: [String: String] = [:]
        guard range.count <= limits.referenceBytes else { return [:] }
        var index = range.lowerBound
        while index < range.upperBound, attributes.count < 64 {
            let equals = text.find(UInt8(ascii: "="), from: index, to: range.upperBound)
            guard equals < range.upperBound else { break }
            let name = text.string(index..<equals).trimmedASCII
            var end = equals + 1
            if end < range.upperBound, text[end] == UInt8(ascii: "\"") {
                let close = text.find(UInt8(ascii: "\""), from: end + 1, to: range.upperBound)
                if let value = substituted(text.string(end + 1..<max(close, end + 1))) {
                    attributes[name] = value
                } else {
                    list.cut(.variables)
                }
                end = text.find(UInt8(ascii: ","), from: min(close + 1, range.upperBound), to: range.upperBound)
            } else {
                end = text.find(UInt8(ascii: ","), from: end, to: range.upperBound)
                attributes[name] = text.string(equals + 1..<end).trimmedASCII
            }
            index = end + 1
        }
        return attributes
    }

    private mutating func define(_ attributes: [String: String]) {
        guard variables.count < Self.variableLimit else { return }
        if let name = attributes["NAME"], let value = attributes["VALUE"] {
            variables[name] = value
        } else if let name = attributes["QUERYPARAM"], let value = query[name] {
            variables[name] = value
        } else if let name = attributes["IMPORT"], let value = imported[name] {
            variables[name] = value
        }
    }

    /// Replaces `{$name}` by the variable's value; nil if one is unknown.
    private func substituted(_ text: String) -> String? {
        guard text.contains("{$") else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "{$") {
            result += rest[..<start.lowerBound]
            guard let end = rest[start.upperBound...].firstIndex(of: "}"),
                let value = variables[String(rest[start.upperBound..<end])],
                result.utf8.count + value.utf8.count <= limits.referenceBytes
            else { return nil }
            result += value
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func parameters(_ query: String) -> [String: String] {
        var parameters: [String: String] = [:]
        for part in query.split(separator: "&").prefix(variableLimit) {
            let name = part.prefix { $0 != "=" }
            parameters[String(name)] = String(part.dropFirst(name.count + 1))
        }
        return parameters
    }
}
