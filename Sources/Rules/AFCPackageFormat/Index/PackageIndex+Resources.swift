package import AFCHTTP
internal import AFCText
public import AFCURL

extension PackageIndex {
    /// A resource of the package.
    public struct Resource: Equatable, Sendable {
        /// The resource's URL.
        public var url: WebURL
        /// The manifest entry, or nil for a redirect.
        public var entry: ManifestEntry?
        /// The line number in the manifest, from 1, or 0 for a redirect.
        public var line: Int
        /// The sidecar's record, if there is one.
        public var record: ResourceRecord?
        /// The index of the member that holds the body, or nil for a redirect.
        public var member: Int?

        /// Creates a resource.
        public init(url: WebURL, entry: ManifestEntry?, line: Int, record: ResourceRecord?, member: Int?) {
            self.url = url
            self.entry = entry
            self.line = line
            self.record = record
            self.member = member
        }
    }

    /// The resources of a package, sorted by URL.
    ///
    /// Memory holds 16 bytes for each resource: where its line and its record are. Both are read again when the
    /// resource is asked for. To read many, use an iterator or a ``Cursor``, which read the texts in large pieces.
    public struct Resources: RandomAccessCollection, Sendable, Equatable {
        /// The places of a resource's parts.
        struct Row {
            static let none = UInt32.max

            /// The line's number, or 0 for a redirect.
            var line: UInt32 = 0
            /// The offset of the line in the manifest, or none.
            var entry = Row.none
            /// The offset of the record in the sidecar, or none.
            var record = Row.none
            /// The member's index, or none.
            var member = Row.none
        }

        var manifest = MemberText([])
        var records = MemberText([])
        var rows: [Row] = []

        /// The index of the first resource.
        public var startIndex: Int { 0 }
        /// The number of resources.
        public var endIndex: Int { rows.count }

        /// The resource at an index.
        public subscript(index: Int) -> Resource {
            var cursor = Cursor(self)
            return cursor.resource(at: index)
        }

        /// Returns the index of the member with the body of the resource at an index, or nil for a redirect.
        public func member(at index: Int) -> Int? {
            let member = rows[index].member
            return member == Row.none ? nil : Int(member)
        }

        /// Returns an iterator over all resources.
        public func makeIterator() -> Iterator { Iterator(self) }

        /// Returns true if both have equal resources.
        public static func == (one: Resources, other: Resources) -> Bool { one.elementsEqual(other) }
    }

}

extension PackageIndex.Resources {
    /// Iterates over resources.
    public struct Iterator: IteratorProtocol {
        private final class State {
            var cursor: Cursor
            init(_ resources: PackageIndex.Resources) { cursor = Cursor(resources) }
        }

        private let state: State
        private let count: Int
        private var place = 0

        init(_ resources: PackageIndex.Resources) {
            state = State(resources)
            count = resources.rows.count
        }

        /// Returns the next resource, or nil after the last.
        public mutating func next() -> PackageIndex.Resource? {
            guard place < count else { return nil }
            defer { place += 1 }
            return state.cursor.resource(at: place)
        }
    }

    /// Reads resources at places that mostly ascend.
    public struct Cursor: ~Copyable {
        private let rows: [Row]
        private var manifest: TextWindow
        private var records: TextWindow
        private var parser = LineParser(isQuiet: true)
        private var reader = RecordReader()
        private var fillings = 0

        /// Creates a cursor.
        public init(_ resources: PackageIndex.Resources) {
            rows = resources.rows
            manifest = TextWindow(resources.manifest)
            records = TextWindow(resources.records)
        }

        /// Returns the resource at an index.
        public mutating func resource(at index: Int) -> PackageIndex.Resource {
            let row = rows[index]
            let entry = entry(at: index)
            let record = record(row, expecting: entry?.url)
            guard let url = entry?.url ?? record?.url else {
                preconditionFailure("resource \(index) has neither an entry nor a record")
            }
            return PackageIndex.Resource(
                url: url,
                entry: entry,
                line: Int(row.line),
                record: record,
                member: row.member == Row.none ? nil : Int(row.member)
            )
        }

        /// Returns the URL of the resource at an index.
        mutating func url(at index: Int) -> WebURL {
            if let item = item(at: index) { return item.url }
            return resource(at: index).url
        }

        /// Returns the manifest entry of the resource at an index, or nil for a redirect.
        mutating func entry(at index: Int) -> ManifestEntry? { item(at: index)?.entry }

        private mutating func item(at index: Int) -> ManifestReader.Item? {
            let offset = rows[index].entry
            guard offset != Row.none else { return nil }
            guard let item = parser.item(manifest.line(at: Int(offset))) else {
                preconditionFailure("the line at byte \(offset) of the manifest was an entry before")
            }
            return item
        }

        private mutating func record(_ row: Row, expecting url: WebURL?) -> ResourceRecord? {
            guard row.record != Row.none else { return nil }
            var line = records.line(at: Int(row.record))
            if line.last == UInt8(ascii: "\n") { line = UnsafeBufferPointer(rebasing: line.dropLast()) }
            // The reader remembers bytes of the window.
            if records.fillings != fillings { reader = RecordReader() }
            fillings = records.fillings
            do throws(ResourceRecord.Malformation) {
                return try reader.read(line, expecting: url)
            } catch {
                preconditionFailure("the line at byte \(row.record) of the records was valid before")
            }
        }
    }
}

extension PackageIndex.Resource {
    /// The time until which the response is fresh, by the manifest or else by its own fields.
    package var expiry: Timestamp? { entry?.expires ?? record?.expiry }
}

extension PackageIndex {
    /// The time when the last body expires; nil if one never expires or doesn't say.
    package var latestExpiry: Timestamp? {
        var latest: Timestamp?
        for resource in resources where resource.member != nil {
            guard let expiry = resource.expiry else { return nil }
            latest = max(latest ?? expiry, expiry)
        }
        return latest
    }
}
