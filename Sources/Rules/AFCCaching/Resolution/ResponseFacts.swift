internal import AFCHTTP
internal import HTTPTypes

/// The parts of a stored response's fields that matter to a cache, parsed in one pass.
struct ResponseFacts {
    /// Cache-Control, or the targeted field that replaces it (RFC 9213 §2.2).
    var control = CacheControl()
    /// The time at which the origin made the response, or else at which it was received.
    var date: Timestamp
    /// The first Expires line; nil if a targeted field replaces it, too.
    var expires: String?
    /// The first value of the first Age line, if it is all digits (RFC 9111 §5.1), else 0.
    var age: Int64 = 0
    /// The Last-Modified as written, if there is exactly one line.
    var lastModified: String?
    /// The ETag as written, if there is exactly one line.
    var entityTag: String?
    /// The lines of Vary.
    var vary: [String] = []

    init(_ fields: HTTPFields, received: Timestamp, targets: [HTTPField.Name]) {
        date = received
        var (hasAge, hasDate) = (false, false)
        var (tags, modifications) = (0, 0)
        for field in fields {
            let name = field.name.canonicalName
            switch name.utf8.count {
            case 3 where name == "age" && !hasAge:
                hasAge = true
                age = field.withUnsafeBytesOfValue(Self.age)
            case 4 where name == "etag":
                tags += 1
                entityTag = field.value
            case 4 where name == "date" && !hasDate:
                hasDate = true
                date = field.withUnsafeBytesOfValue { HTTPDate.parse($0, now: received) } ?? received
            case 4 where name == "vary": vary.append(field.value)
            case 7 where name == "expires" && expires == nil: expires = field.value
            case 13 where name == "cache-control": control.read(field)
            case 13 where name == "last-modified":
                modifications += 1
                lastModified = field.value
            default: break
            }
        }
        if tags > 1 { entityTag = nil }
        if modifications > 1 { lastModified = nil }
        if !targets.isEmpty, let targeted = CacheControl(targets: targets, in: fields) {
            control = targeted
            expires = nil
        }
    }

    /// Returns true if the response states how long it is fresh (RFC 9111 §4.2.1).
    func hasExplicitFreshness(_ sharing: Freshness.Sharing) -> Bool {
        control.maxAge != nil || expires != nil || (sharing == .shared && control.sharedMaxAge != nil)
    }

    /// True if the response can be revalidated (RFC 9111 §4.3.1).
    var hasValidator: Bool { entityTag != nil || lastModified != nil }

    private static func age(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        var text = bytes.prefix { $0 != UInt8(ascii: ",") }
        while let last = text.last, last == 0x20 || last == 0x09 { text = text.dropLast() }
        return FieldText.deltaSeconds(bytes: text) ?? 0
    }
}
