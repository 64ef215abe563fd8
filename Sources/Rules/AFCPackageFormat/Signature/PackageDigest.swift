internal import AFCText
internal import Crypto

/// The digest of a package, over the names and contents of its members.
///
/// It doesn't depend on compression, encryption, order or times of members. See docs/reference/signatures.md.
public struct PackageDigest: Hashable, Sendable {
    /// The data of one member that the digest covers.
    public struct Member: Hashable, Sendable {
        /// The name; a folder's name ends in a slash.
        public var name: String
        /// The size of the body in bytes.
        public var size: Int64
        /// The SHA-256 of the body as 64 lower-case hexadecimal digits.
        public var sha256: String

        /// Creates the description of a member.
        public init(name: String, size: Int64, sha256: String) {
            self.name = name
            self.size = size
            self.sha256 = sha256
        }

        /// Returns true if the member's line comes before another's.
        public func precedes(_ other: Member) -> Bool { name.utf8.lexicographicallyPrecedes(other.name.utf8) }

        /// Creates the description of a member whose body is in memory.
        public init(name: String, body: [UInt8]) {
            self.init(name: name, size: Int64(body.count), sha256: Hexadecimal.text(SHA256.hash(data: body)))
        }
    }

    /// The digest as 64 lower-case hexadecimal digits.
    public let hexadecimal: String

    /// Computes the digest.
    ///
    /// - Parameter members: All members in any order, each name once. The signature member is ignored.
    public init(of members: some Sequence<Member>) {
        var hash = SortedMembers()
        for member in members.sorted(by: { $0.precedes($1) }) { hash.add(member) }
        self = hash.digest()
    }

    private init(_ hash: SHA256) { hexadecimal = Hexadecimal.text(hash.finalize()) }

    /// Computes the digest of members that come sorted by the bytes of their names.
    public struct SortedMembers: Sendable {
        private var hash = SHA256()

        /// Creates the digest of no members.
        public init() { hash.update(data: Array("afcache package digest 1\n".utf8)) }

        /// Adds the next member; the signature member is ignored.
        public mutating func add(_ member: Member) {
            guard member.name != PackageLayout.signature else { return }
            precondition(member.sha256.utf8.count == 64, "not a SHA-256: '\(member.sha256)'")
            let line = "\(member.sha256) \(member.size) \(member.name.utf8.count) \(member.name)\n"
            hash.update(data: Array(line.utf8))
        }

        /// Returns the digest of the members so far.
        public func digest() -> PackageDigest { PackageDigest(hash) }
    }
}
