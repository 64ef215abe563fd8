extension WebURL {
    /// The places of the parts of an http or https URL that is written in normal form, before a text is made of it.
    ///
    /// A manifest has a million URLs, and most of what is asked of them can be answered from the bytes where they stand.
    public struct NormalForm: Equatable, Sendable {
        fileprivate let offsets: Offsets
        /// The URL's bytes.
        public let count: Int

        /// Looks whether bytes are an http or https URL as the standard's serialiser writes it, without a fragment.
        ///
        /// Nil is no verdict: addresses, credentials, and whatever else takes more than a glance are left to the parser.
        ///
        /// - Parameter bytes: The URL.
        public init?(_ bytes: UnsafeBufferPointer<UInt8>) {
            guard let scan = HTTPScan(bytes.span), scan.end == bytes.count else { return nil }
            offsets = scan.offsets
            count = bytes.count
        }

        /// Where the host is, a domain name in lower case.
        public var host: Range<Int> { Int(offsets.hostStart)..<Int(offsets.hostEnd) }

        /// Where the path is, percent-escapes as they stand.
        public var path: Range<Int> { Int(offsets.pathStart)..<Int(offsets.pathEnd) }

        /// Where the query is, without its `?`, or nil where there is none.
        public var query: Range<Int>? {
            let start = Int(offsets.pathEnd)
            return start < count ? (start + 1)..<count : nil
        }

        /// Returns true if both have their parts at the same places.
        public static func == (one: NormalForm, other: NormalForm) -> Bool {
            one.count == other.count && one.host == other.host && one.path == other.path
        }
    }

    /// Makes a URL of bytes that were looked at.
    ///
    /// - Parameters:
    ///   - form: What was found in exactly these bytes.
    ///   - bytes: The URL.
    package init(_ form: NormalForm, bytes: UnsafeBufferPointer<UInt8>) {
        precondition(bytes.count == form.count, "\(bytes.count) bytes instead of \(form.count)")
        self.init(serialization: String(decoding: bytes, as: UTF8.self), offsets: form.offsets)
    }
}
