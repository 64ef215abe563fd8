internal import AFCHTTP
public import AFCURL

/// Writes entries as lines of the manifest.
public struct ManifestWriter: Sendable {
    /// Why an entry can't be written.
    public enum Refusal: Error, Equatable, Sendable {
        /// The dialect has no field for the name of a body that lies elsewhere than the rule says.
        case dialectCannotNameMember(WebURL, ManifestDialect)
    }

    /// Which fields each line gets.
    public let dialect: ManifestDialect
    /// What was written and not yet taken: the manifest so far, where nothing was taken.
    public private(set) var bytes: [UInt8] = []

    /// Starts an empty manifest.
    ///
    /// - Parameters:
    ///   - dialect: Which fields each line gets.
    ///   - baseURL: Written as the header line that AFCache 0.13 reads, where it is given.
    public init(dialect: ManifestDialect, baseURL: WebURL? = nil) {
        self.dialect = dialect
        guard let baseURL else { return }
        bytes.append(contentsOf: "baseURL = \(baseURL)\n".utf8)
    }

    /// Appends one line.
    ///
    /// Entries come sorted by URL, each once; their media types are normalised, so none holds the delimiter.
    ///
    /// - Parameters:
    ///   - entry: What to write; its member is nil where the body lies where the rule says.
    ///   - ruleName: The member's name by the rule, for the dialect that names every member.
    /// - Throws: ``Refusal`` where the dialect has no field that the entry needs.
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

    /// Takes what was written since the last call, so that memory holds little of a long manifest.
    ///
    /// - Parameter target: What it is appended to.
    public mutating func move(to target: inout [UInt8]) {
        target.append(contentsOf: bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    private mutating func field(_ text: String?, isFirst: Bool = false) {
        if !isFirst { bytes.append(contentsOf: " ; ".utf8) }
        bytes.append(contentsOf: (text ?? "NULL").utf8)
    }
}
