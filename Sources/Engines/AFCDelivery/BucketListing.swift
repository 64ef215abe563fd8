/// A part of the list of a bucket's objects
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html).
///
/// Pure. Keys are taken as they are written; those with characters that XML escapes are none that this program makes.
struct BucketListing: Equatable {
    /// The largest part that is accepted, in bytes; servers send at most 1,000 keys at once.
    static let byteLimit = 8 << 20

    private(set) var keys: [String] = []
    /// The beginnings that keys have in common, up to the delimiter.
    private(set) var prefixes: [String] = []
    /// What asks for the next part; nil for the last one.
    private(set) var next: String?

    /// Reads the body of a response; nil if it isn't a list.
    init?(_ body: [UInt8]) {
        let text = String(decoding: body, as: UTF8.self)
        guard text.contains("<ListBucketResult") else { return nil }
        var rest = text[...]
        while let start = rest.firstRange(of: "<Contents>")?.upperBound {
            guard let end = rest[start...].firstRange(of: "</Contents>")?.lowerBound,
                let key = Self.element("Key", of: rest[start..<end])
            else { return nil }
            keys.append(key)
            rest = rest[end...]
        }
        rest = text[...]
        while let start = rest.firstRange(of: "<CommonPrefixes>")?.upperBound {
            guard let end = rest[start...].firstRange(of: "</CommonPrefixes>")?.lowerBound,
                let prefix = Self.element("Prefix", of: rest[start..<end])
            else { return nil }
            prefixes.append(prefix)
            rest = rest[end...]
        }
        guard Self.element("IsTruncated", of: text[...]) == "true" else { return }
        guard let token = Self.element("NextContinuationToken", of: text[...]), !token.isEmpty else { return nil }
        next = token
    }

    private static func element(_ name: String, of text: Substring) -> String? {
        guard let start = text.firstRange(of: "<\(name)>")?.upperBound,
            let end = text[start...].firstRange(of: "</\(name)>")?.lowerBound
        else { return nil }
        return String(text[start..<end])
    }
}
