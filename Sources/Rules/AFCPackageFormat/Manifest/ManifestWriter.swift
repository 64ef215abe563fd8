internal import AFCHTTP
public import AFCURL

/// Writes entries as lines of the manifest.
public struct ManifestWriter: Sendable {
    /// The reason why an entry can't be written.
    public enum Refusal: Error, Equatable, Sendable {
        /// The dialect has no field for the name of a body that isn't where the member rule puts it.
        case dialectCannotNameMember(WebURL, ManifestDialect)
    }

    /// The dialect, which decides the fields of each line.
    public let dialect: ManifestDialect
    /// The text that was written and not yet taken: the whole manifest if nothing was taken.
    public private(set) var bytes: [UInt8] = []

    /// Starts an empty manifest.
    ///
    /// - Parameters:
    ///   - dialect: The fields of each line.
    ///   - baseURL: The URL for the header line that AFCache 0.13 reads; nil for no header.
    public init(dialect: ManifestDialect, baseURL: WebURL? = nil) {
        self.dialect = dialect
        guard let baseURL else { return }
        bytes.append(contentsOf: "baseURL = \(baseURL)\n".utf8)
    }

    /// Appends one line.
    ///
    /// Entries must be sorted by URL, each URL once. Media types must be normalized, so that none contains the
    /// delimiter.
    ///
    /// - Parameters:
    ///   - entry: The entry to write; its member is nil if the body is where the member rule puts it.
    ///   - ruleName: The member's name by the member rule, for the dialect that names every member.
    /// - Throws: ``Refusal`` if the dialect lacks a field that the entry needs.
    public mutating func append(_ entry: ManifestEntry, ruleName: String) throws(Refusal) {
        if entry.member != nil, !dialect.namesMembers {
            throw .dialectCannotNameMember(entry.url, dialect)
        }
        field(entry.url.description, isFirst: true)
        field(entry.lastModified.map(HTTPDate.format))
        field(entry.expires.map(HTTPDate.format))
        if dialect != .three { field(entry.mediaType) }
        if dialect == .five {
            field(entry.member ?? ruleName)
        } else if let member = entry.member {
            field(member)
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Moves the text written since the last call to another buffer, to keep little of a long manifest in memory.
    ///
    /// - Parameter target: The buffer to append to.
    public mutating func move(to target: inout [UInt8]) {
        target.append(contentsOf: bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    private mutating func field(_ text: String?, isFirst: Bool = false) {
        if !isFirst { bytes.append(contentsOf: " ; ".utf8) }
        bytes.append(contentsOf: (text ?? "NULL").utf8)
    }
}
