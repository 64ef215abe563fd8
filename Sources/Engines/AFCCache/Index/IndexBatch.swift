/// Records of neighbours, made by one thread while others make theirs.
struct IndexBatch {
    /// The records, one after the other.
    private(set) var bytes: [UInt8] = []
    /// The hash and the length of each.
    private(set) var records: [(hash: UInt64, length: Int)] = []

    /// Adds a resource; its number says where it stands among all.
    mutating func append(_ resource: IndexedResource) {
        let start = bytes.count
        IndexRecord.append(resource, to: &bytes)
        var url = resource.url
        records.append((url.withUTF8 { IndexWriter.hash($0) }, bytes.count - start))
    }
}
