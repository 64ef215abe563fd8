/// A part of the list of a bucket's objects
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html).
///
/// Pure.
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
        guard let contents = BucketXML.all("Contents", in: text), let common = BucketXML.all("CommonPrefixes", in: text)
        else { return nil }
        keys = contents.compactMap { BucketXML.first("Key", in: $0) }
        prefixes = common.compactMap { BucketXML.first("Prefix", in: $0) }
        guard keys.count == contents.count, prefixes.count == common.count else { return nil }
        guard BucketXML.first("IsTruncated", in: text) == "true" else { return }
        guard let token = BucketXML.first("NextContinuationToken", in: text) else { return nil }
        next = token
    }
}
