internal import AFCHTTP
public import HTTPTypes
internal import RawStructuredFieldValues

/// The directives of Cache-Control that this cache supports (RFC 9111 §5.2), from all lines together.
///
/// Unknown directives are ignored (§5.2.3). If one occurs twice, the first counts. Malformed seconds
/// count as 0, so that the response is stale, as §4.2.1 encourages.
public struct CacheControl: Equatable, Sendable {
    /// The seconds for which a response is fresh (RFC 9111 §5.2.2.1), or its greatest accepted age (§5.2.1.1).
    public internal(set) var maxAge: Int64?
    /// The seconds for which a response is fresh in a shared cache (RFC 9111 §5.2.2.10).
    public internal(set) var sharedMaxAge: Int64?
    /// The seconds for which a response must remain fresh (RFC 9111 §5.2.1.3).
    public internal(set) var minFresh: Int64?
    /// The staleness that a client accepts, in seconds (RFC 9111 §5.2.1.2): nil for none, the greatest number for any.
    public internal(set) var maxStale: Int64?
    /// The seconds for which a response may be served stale while it is revalidated (RFC 5861 §3).
    public internal(set) var staleWhileRevalidate: Int64?
    /// The seconds for which a response may be served stale if the origin fails (RFC 5861 §4).
    public internal(set) var staleIfError: Int64?
    /// The fields that may not be served without revalidation, in lower case (RFC 9111 §5.2.2.4).
    public internal(set) var noCacheFields: [String] = []
    /// The fields that a shared cache may not store, in lower case (RFC 9111 §5.2.2.7).
    public internal(set) var privateFields: [String] = []
    var flags: Flags = []

    struct Flags: OptionSet, Equatable, Sendable {
        let rawValue: UInt16
        static let noCache = Flags(rawValue: 1)
        static let noStore = Flags(rawValue: 1 << 1)
        static let isPrivate = Flags(rawValue: 1 << 2)
        static let isPublic = Flags(rawValue: 1 << 3)
        static let mustRevalidate = Flags(rawValue: 1 << 4)
        static let proxyRevalidate = Flags(rawValue: 1 << 5)
        static let mustUnderstand = Flags(rawValue: 1 << 6)
        static let immutable = Flags(rawValue: 1 << 7)
        static let onlyIfCached = Flags(rawValue: 1 << 8)
    }

    /// Creates an empty set of directives.
    init() {}

    /// Parses the directives of a message's fields.
    public init(_ fields: HTTPFields) {
        for field in fields where field.name == .cacheControl { read(field) }
    }

    /// Parses directives from the values of a field's lines.
    public init(values: [String]) {
        for var value in values { value.withUTF8 { read($0) } }
    }

    /// True if a stored response must be revalidated before each use (RFC 9111 §5.2.2.4); false if fields are named.
    public var isNoCache: Bool { flags.contains(.noCache) }
    /// True if nothing may be stored (RFC 9111 §5.2.2.5, in requests §5.2.1.5).
    public var isNoStore: Bool { flags.contains(.noStore) }
    /// Returns true if this cache may not store a response with a status.
    ///
    /// must-understand overrides no-store if the status is understood (RFC 9111 §5.2.2.3).
    public func forbidsStoring(status: Int) -> Bool {
        mustUnderstand ? !StatusRules.isUnderstood(status) : isNoStore
    }
    /// True if a shared cache may not store the response (RFC 9111 §5.2.2.7); false if fields are named.
    public var isPrivate: Bool { flags.contains(.isPrivate) }
    /// True if the response may be stored even if it otherwise might not (RFC 9111 §5.2.2.9).
    public var isPublic: Bool { flags.contains(.isPublic) }
    /// True if a stale response must not be used without revalidation (RFC 9111 §5.2.2.2).
    public var mustRevalidate: Bool { flags.contains(.mustRevalidate) }
    /// True if a shared cache must not use a stale response without revalidation (RFC 9111 §5.2.2.8).
    public var proxyRevalidate: Bool { flags.contains(.proxyRevalidate) }
    /// True if only a cache that knows the rules of the status may store the response (RFC 9111 §5.2.2.3).
    public var mustUnderstand: Bool { flags.contains(.mustUnderstand) }
    /// True if the response doesn't change while it is fresh (RFC 8246 §2).
    public var isImmutable: Bool { flags.contains(.immutable) }
    /// True if only a stored response is wanted (RFC 9111 §5.2.1.7).
    public var isOnlyIfCached: Bool { flags.contains(.onlyIfCached) }
}

extension CacheControl {
    /// Returns the seconds for which a response goes on to meet a client's demands on freshness (RFC 9111 §5.2.1.1 to
    /// §5.2.1.3).
    ///
    /// - Parameters:
    ///   - ttl: The seconds for which the response is fresh; negative for the seconds since it is stale.
    ///   - age: The response's age in seconds; nil if a cache doesn't heed the demand on it, as one without origins.
    /// - Returns: The seconds; 0 or less if it doesn't meet them, millennia if it always does.
    package func seconds(met ttl: Int64, age: Int64?) -> Int64 {
        let always: Int64 = 1 << 40
        func bounded(_ seconds: Int64) -> Int64 { min(max(seconds, -always), always) }
        var met = always
        // The last second counts: with `max-stale=5`, a response is still wanted 5 seconds after it became stale.
        if let minFresh { met = min(met, bounded(ttl) - bounded(minFresh) + 1) }
        if let maxStale { met = min(met, bounded(ttl) + bounded(maxStale) + 1) }
        if let maxAge, let age { met = min(met, bounded(maxAge) - bounded(age) + 1) }
        return met
    }

    mutating func read(_ field: HTTPField) { field.withUnsafeBytesOfValue { read($0) } }

    /// Parses one line; commas in quotes don't separate.
    mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) {
        var start = 0
        var isQuoted = false
        var isEscaped = false
        for index in bytes.indices {
            let byte = bytes[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: ","), !isQuoted {
                readDirective(Self.trimmed(bytes[start..<index]))
                start = index + 1
            }
        }
        readDirective(Self.trimmed(bytes[start...]))
    }

    private typealias Text = Slice<UnsafeBufferPointer<UInt8>>

    private enum Argument {
        case none
        case value(Text)
        /// An integer of RFC 8941.
        case seconds(Int64)
        /// A string of RFC 8941.
        case text(Text)
        /// False by RFC 8941: the directive counts as absent.
        case no
        /// Neither a token nor a quoted string, or with white space around the equals sign, which the grammar doesn't
        /// allow.
        case malformed
    }

    private mutating func readDirective(_ text: Text) {
        guard !text.isEmpty else { return }
        guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else {
            apply(text, .none)
            return
        }
        let name = Self.trimmed(text[..<equals])
        let value = text[(equals + 1)...]
        let isSpaced = name.endIndex != equals
        if !isSpaced, !value.isEmpty, value.allSatisfy(FieldText.isTokenByte) {
            apply(name, .value(value))
        } else if !isSpaced, value.count >= 2, value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\"") {
            // No valid argument has a backslash; with one, it is neither digits nor a name.
            apply(name, .value(value.dropFirst().dropLast()))
        } else {
            apply(name, .malformed)
        }
    }

    /// Takes a directive, if this cache supports it.
    ///
    /// - Returns: False if it has seconds, and the argument isn't a number.
    @discardableResult
    private mutating func apply(_ name: Text, _ argument: Argument) -> Bool {
        switch name.count {
        case 6 where Self.isName(name, "public"): insert(.isPublic, argument)
        case 7 where Self.isName(name, "max-age"): return Self.set(&maxAge, argument)
        case 7 where Self.isName(name, "private"):
            if !Self.addNames(argument, to: &privateFields) { insert(.isPrivate, argument) }
        case 8 where Self.isName(name, "no-store"): insert(.noStore, argument)
        case 8 where Self.isName(name, "no-cache"):
            if !Self.addNames(argument, to: &noCacheFields) { insert(.noCache, argument) }
        case 8 where Self.isName(name, "s-maxage"): return Self.set(&sharedMaxAge, argument)
        case 9 where Self.isName(name, "max-stale"):
            guard case .none = argument else { return Self.set(&maxStale, argument) }
            maxStale = maxStale ?? .max
        case 9 where Self.isName(name, "min-fresh"): return Self.set(&minFresh, argument)
        case 9 where Self.isName(name, "immutable"): insert(.immutable, argument)
        case 14 where Self.isName(name, "only-if-cached"): insert(.onlyIfCached, argument)
        case 14 where Self.isName(name, "stale-if-error"): return Self.set(&staleIfError, argument)
        case 15 where Self.isName(name, "must-revalidate"): insert(.mustRevalidate, argument)
        case 15 where Self.isName(name, "must-understand"): insert(.mustUnderstand, argument)
        case 16 where Self.isName(name, "proxy-revalidate"): insert(.proxyRevalidate, argument)
        case 22 where Self.isName(name, "stale-while-revalidate"): return Self.set(&staleWhileRevalidate, argument)
        default: break
        }
        return true
    }

    private mutating func insert(_ flag: Flags, _ argument: Argument) {
        if case .no = argument { return }
        flags.insert(flag)
    }

    private static func set(_ seconds: inout Int64?, _ argument: Argument) -> Bool {
        let (number, isNumber): (Int64, Bool) =
            switch argument {
            case .value(let text): (FieldText.deltaSeconds(bytes: text) ?? 0, true)
            case .seconds(let number): (min(max(number, 0), 1 << 31), true)
            case .none, .text, .no, .malformed: (0, false)
            }
        seconds = seconds ?? number
        return isNumber
    }

    /// The most field names of a qualified directive; with more it counts as unqualified, which is stricter.
    private static let nameLimit = 64

    /// Adds the field names of a qualified directive; false if it has none, and so counts as unqualified.
    private static func addNames(_ argument: Argument, to names: inout [String]) -> Bool {
        let text: Text
        switch argument {
        case .value(let value), .text(let value): text = value
        case .none, .seconds, .no, .malformed: return false
        }
        let found = text.split(separator: UInt8(ascii: ","))
            .map(trimmed)
            .filter { !$0.isEmpty && $0.allSatisfy(FieldText.isTokenByte) }
            .map { String(decoding: $0, as: UTF8.self).lowercased() }
        guard names.count + found.count <= nameLimit else { return false }
        names += found
        return !found.isEmpty
    }

    private static func isName(_ text: Text, _ name: StaticString) -> Bool {
        var expected = name.utf8Start
        for byte in text {
            let lowercased = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
            guard lowercased == expected.pointee else { return false }
            expected += 1
        }
        return true
    }

    private static func trimmed(_ text: Text) -> Text {
        var text = text
        while let first = text.first, first == 0x20 || first == 0x09 { text = text.dropFirst() }
        while let last = text.last, last == 0x20 || last == 0x09 { text = text.dropLast() }
        return text
    }
}

extension CacheControl {
    /// Parses the first field of a target list that is present and valid (RFC 9213 §2.2); nil if there is none.
    ///
    /// A field that is empty, isn't a dictionary of RFC 8941, or has seconds that aren't an integer, counts as absent:
    /// the cache then uses the origin's other fields.
    ///
    /// - Parameters:
    ///   - targets: The target list.
    ///   - fields: The response's fields.
    init?(targets: [HTTPField.Name], in fields: HTTPFields) {
        for target in targets where fields.contains(target) {
            guard let control = Self.dictionary(fields[values: target]) else { continue }
            self = control
            return
        }
        return nil
    }

    private static func dictionary(_ values: [String]) -> CacheControl? {
        var parser = StructuredFieldValueParser(Array(values.joined(separator: ",").utf8))
        guard let members = try? parser.parseDictionaryFieldValue(), !members.isEmpty else { return nil }
        var control = CacheControl()
        for (name, member) in members {
            guard case .item(let item) = member, control.take(name, item.rfc9651BareItem) else { return nil }
        }
        return control
    }

    /// Takes a directive; false if its value has another type than the directive's.
    private mutating func take(_ name: String, _ value: RFC9651BareItem) -> Bool {
        var name = name
        return name.withUTF8 { name in
            switch value {
            case .bool(let isSet): apply(name[...], isSet ? .none : .no)
            case .integer(let seconds): apply(name[...], .seconds(seconds))
            case .string(var text): text.withUTF8 { apply(name[...], .text($0[...])) }
            default: apply(name[...], .malformed)
            }
        }
    }
}
