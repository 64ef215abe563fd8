extension WebURL {
    /// The places of the parts of an http or https URL in normal form, found without creating a URL.
    ///
    /// A manifest may have a million URLs, and most questions about them can be answered from these bytes.
    public struct NormalForm: Equatable, Sendable {
        fileprivate let offsets: Offsets
        /// The length of the URL in bytes.
        public let count: Int

        /// Checks whether bytes are an http or https URL as the standard's serializer writes it, without a fragment.
        ///
        /// Nil is not a verdict: addresses, credentials, and other cases that need more work are left to the parser.
        ///
        /// - Parameter bytes: The bytes of the URL.
        public init?(_ bytes: UnsafeBufferPointer<UInt8>) {
            guard let scan = HTTPScan(bytes.span), scan.end == bytes.count else { return nil }
            offsets = scan.offsets
            count = bytes.count
        }

        /// The range of the host, a domain name in lower case.
        public var host: Range<Int> { Int(offsets.hostStart)..<Int(offsets.hostEnd) }

        /// The range of the path, whose percent-escapes aren't decoded.
        public var path: Range<Int> { Int(offsets.pathStart)..<Int(offsets.pathEnd) }

        /// The range of the query without its `?`, or nil if there is none.
        public var query: Range<Int>? {
            let start = Int(offsets.pathEnd)
            return start < count ? (start + 1)..<count : nil
        }

        /// Returns true if both have their parts at the same places.
        public static func == (one: NormalForm, other: NormalForm) -> Bool {
            one.count == other.count && one.host == other.host && one.path == other.path
        }
    }

    /// Creates a URL from bytes in normal form.
    ///
    /// - Parameters:
    ///   - form: The form that was found in exactly these bytes.
    ///   - bytes: The bytes of the URL.
    package init(_ form: NormalForm, bytes: UnsafeBufferPointer<UInt8>) {
        precondition(bytes.count == form.count, "\(bytes.count) bytes instead of \(form.count)")
        self.init(serialization: String(decoding: bytes, as: UTF8.self), offsets: form.offsets)
    }
}
