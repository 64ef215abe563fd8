internal import AFCText

/// The revisions of the Model Context Protocol that are spoken (modelcontextprotocol.io/specification).
package enum ProtocolVersion: String, CaseIterable, Sendable, Comparable {
    /// The first revision.
    case november2024 = "2024-11-05"
    /// The one with streamable HTTP, and the only one with batches.
    case march2025 = "2025-03-26"
    /// The one with structured results.
    case june2025 = "2025-06-18"
    /// The last one with a handshake.
    case november2025 = "2025-11-25"
    /// The first one without a handshake: each request states its version.
    case july2026 = "2026-07-28"

    /// True if each request states its version, so that there is no session.
    package var isStateless: Bool { self >= .july2026 }

    /// True if several messages may come in one array (JSON-RPC 2.0 §6).
    var allowsBatches: Bool { self == .march2025 }

    /// True if results may have a structured part.
    var hasStructure: Bool { self >= .june2025 }

    /// The code of the error for a resource that doesn't exist.
    var missingResourceCode: MessageError.Code { isStateless ? .invalidParameters : .missingResource }

    /// The revisions with a handshake.
    static let withHandshake = allCases.filter { !$0.isStateless }

    /// Returns the revision of a session: the one that the client asks for, else the latest.
    ///
    /// - Parameter asked: The client's revision.
    /// - Returns: A revision with a handshake.
    static func negotiated(_ asked: String) -> ProtocolVersion {
        withHandshake.first { $0.rawValue == asked } ?? .november2025
    }

    /// All revisions, the latest first, as errors and discovery list them.
    static var list: JSONValue { .array(allCases.reversed().map { .string($0.rawValue) }) }

    /// Returns true if the left revision is the earlier one.
    package static func < (one: ProtocolVersion, other: ProtocolVersion) -> Bool { one.rawValue < other.rawValue }
}
