/// A remark on a part of an archive: why it is left out, or what is wrong with it.
package struct ImportNote: Sendable, Equatable {
    /// The kinds of remarks; the raw values are those of the report.
    package enum Kind: String, Sendable, CaseIterable {
        // The rest of the file may be sound, but something is lost.
        /// Bytes that belong to no record: a damaged head, or the rest of a record with a wrong length.
        case lost
        /// A record or entry that ends with the file, or with what could be decompressed.
        case cut
        /// A record with another length than it states, by what its response says; it is taken.
        case length
        /// A body that can't be decoded.
        case damagedCoding = "damaged-coding"
        /// A body with another digest than the archive states; it is taken.
        case digest
        /// A body whose last chunk is missing or damaged; the others are taken.
        case chunks

        // The archive itself doesn't hold what it should.
        /// A response that its writer cut off.
        case truncated
        /// A body that the archive doesn't hold.
        case noBody = "no-body"
        /// A repeated response whose first capture is in none of the files.
        case noOriginal = "no-original"
        /// A body with fewer bytes than its Content-Length; it is taken.
        case short
        /// A body that isn't in the coding that its fields state; it is taken as it is.
        case plain
        /// A page of a mirror with the bytes of another one, as that of a redirect; it is taken.
        case same
        /// A body with a content coding that isn't decoded.
        case coding
        /// A body over the limit.
        case tooLarge = "too-large"
        /// A response without the head of an HTTP message.
        case noHead = "no-head"
        /// A URL that can't be parsed, or is too long.
        case badURL = "bad-url"

        // What an import leaves out on purpose.
        /// A request without a response.
        case noResponse = "no-response"
        /// A response to another method than GET.
        case method
        /// A status that packages don't have.
        case status
        /// A URL that is neither http nor https.
        case scheme
        /// A capture before the one that counts.
        case older
        /// A capture after the time that the user named.
        case later
        /// A URL that the user excluded.
        case excluded

        /// True if the file is damaged there.
        package var isDamage: Bool {
            switch self {
            case .lost, .cut, .length, .damagedCoding, .digest, .chunks: true
            default: false
            }
        }

        /// True if an import does this with every archive.
        package var isUsual: Bool {
            switch self {
            case .same, .noResponse, .method, .status, .scheme, .older, .later, .excluded: true
            default: false
            }
        }

        /// True if the response is taken nevertheless.
        package var isTaken: Bool {
            switch self {
            case .length, .digest, .chunks, .short, .plain, .same: true
            default: false
            }
        }
    }

    /// The kind.
    package var kind: Kind
    /// The file, and after `!` the member of a zip in it.
    package var file: String
    /// The offset of the record, or nil for an entry of a HAR.
    package var offset: Int64?
    /// The number of the record or entry, from 1 on; nil if it isn't known.
    package var number: Int?
    /// The URL as it is written; empty for none.
    package var url: String
    /// Further words, such as the method; empty for none.
    package var detail: String
}

/// The result of reading archives.
package struct ImportReport: Sendable, Equatable {
    /// The number of remarks by kind.
    package var notes: [ImportNote.Kind: Int] = [:]
    /// The first remarks of each kind.
    package var first: [ImportNote.Kind: [ImportNote]] = [:]
    /// The number of records by their type that hold no response, such as `warcinfo`.
    package var others: [String: Int] = [:]
    /// The number of responses and requests without fields that contain credentials or cookies.
    package var secrets = 0
    /// The number of archives that were read, those within others included.
    package var archives = 0

    /// The most remarks of a kind that ``first`` has.
    private static let listLimit = 5

    /// Creates an empty report.
    package init() {}

    mutating func add(_ note: ImportNote) {
        notes[note.kind, default: 0] += 1
        if first[note.kind, default: []].count < Self.listLimit { first[note.kind, default: []].append(note) }
    }

    /// The number of remarks on damage.
    var damages: Int { notes.reduce(0) { $1.key.isDamage ? $0 + $1.value : $0 } }

    /// True if a file is damaged.
    package var isDamaged: Bool { damages > 0 }

    /// True if everything that the archives hold was taken, apart from what no import takes.
    package var isClean: Bool { notes.keys.allSatisfy { $0.isUsual } }
}
