internal import AFCHTTP
internal import HTTPTypes
internal import RawStructuredFieldValues

extension CacheControl {
    /// The directives of the first field of a target list that is there and valid (RFC 9213 §2.2); nil where there is none.
    ///
    /// A field that is empty, no dictionary of RFC 8941, or has seconds that are no integer, counts as not there: the cache falls
    /// back to what the origin said otherwise.
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
            guard case .item(let item) = member, control.apply(name, item.rfc9651BareItem) else { return nil }
        }
        return control
    }

    /// Takes a directive; false where its value has another type than the directive's.
    private mutating func apply(_ name: String, _ value: RFC9651BareItem) -> Bool {
        switch (name, value) {
        case ("max-age", .integer(let seconds)): maxAge = Self.capped(seconds)
        case ("s-maxage", .integer(let seconds)): sharedMaxAge = Self.capped(seconds)
        case ("stale-while-revalidate", .integer(let seconds)): staleWhileRevalidate = Self.capped(seconds)
        case ("stale-if-error", .integer(let seconds)): staleIfError = Self.capped(seconds)
        case ("max-age", _), ("s-maxage", _), ("stale-while-revalidate", _), ("stale-if-error", _): return false
        case (_, .bool(false)): break
        case ("no-cache", .string(let text)):
            noCacheFields = Self.names(text)
            if noCacheFields.isEmpty { flags.insert(.noCache) }
        case ("private", .string(let text)):
            privateFields = Self.names(text)
            if privateFields.isEmpty { flags.insert(.isPrivate) }
        default:
            if let flag = Self.flag(name) { flags.insert(flag) }
        }
        return true
    }

    private static func flag(_ name: String) -> Flags? {
        switch name {
        case "no-cache": .noCache
        case "private": .isPrivate
        case "no-store": .noStore
        case "must-revalidate": .mustRevalidate
        case "proxy-revalidate": .proxyRevalidate
        case "must-understand": .mustUnderstand
        case "public": .isPublic
        case "immutable": .immutable
        default: nil
        }
    }

    /// The field names of a qualified directive, in lower case.
    private static func names(_ text: String) -> [String] {
        FieldText.list(text).filter { FieldText.isToken($0) }.map { $0.lowercased() }
    }

    private static func capped(_ seconds: Int64) -> Int64 { min(max(seconds, 0), 1 << 31) }
}
