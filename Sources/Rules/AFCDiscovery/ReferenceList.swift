/// The distinct references of a document, within the limits.
///
/// A reference that repeats an earlier one, except for its place and its fragment, is left out and takes no room.
struct ReferenceList: Sendable {
    /// The references in the order of the document.
    private(set) var references: [Reference] = []
    /// The limits that caused references to be left out.
    private(set) var cuts: Set<DiscoveryCut> = []
    private var mentions: Set<Mention> = []
    private let keepsRepeats: Bool

    /// Creates an empty list.
    ///
    /// - Parameter keepsRepeats: Whether a reference that repeats an earlier one is kept, too.
    init(keepsRepeats: Bool = false) { self.keepsRepeats = keepsRepeats }

    /// True if there is no room for another reference.
    var isFull: Bool { cuts.contains(.references) }

    /// The properties that distinguish references.
    private struct Mention: Hashable {
        var text: String
        var kind: Reference.Kind
        var loads: Destination
        var isNofollow: Bool
        var isInert: Bool
        var resolution: Reference.Resolution
        var bases: [String]
        var precedesBase: Bool
        var isGuess: Bool
        var isConditional: Bool
        /// True for a hint to preload a script, which counts less than a script that the page runs.
        var isHint: Bool
        var isForm: Bool

        init(_ reference: Reference) {
            text = reference.text
            // In a script's specifier, `#` may be the first character.
            if reference.resolution == .address || reference.resolution == .utf8Address,
                let mark = text.utf8.firstIndex(of: UInt8(ascii: "#"))
            {
                text = String(text[..<mark])
            }
            kind = reference.kind
            loads = reference.loads
            isNofollow = reference.isNofollow
            isInert = reference.isInert
            resolution = reference.resolution
            bases = reference.bases
            precedesBase = reference.precedesBase
            isGuess = reference.isGuess
            isConditional = reference.isConditional
            isHint = reference.element == "link" && reference.loads == .script
            isForm = reference.isForm
        }
    }

    /// Adds a reference, unless it needs no request or is in the list already.
    ///
    /// - Returns: True if there is room for more.
    @discardableResult
    mutating func add(_ reference: Reference, _ limits: DiscoveryLimits) -> Bool {
        guard !isFull else { return false }
        guard !ReferenceText.needsNoRequest(reference.text) else { return true }
        guard reference.text.utf8.count <= limits.referenceBytes else {
            cut(.referenceBytes)
            return true
        }
        let mention = keepsRepeats ? nil : Mention(reference)
        if let mention, mentions.contains(mention) { return true }
        guard references.count < limits.references else {
            cut(.references)
            return false
        }
        if let mention { mentions.insert(mention) }
        references.append(reference)
        return true
    }

    /// Records that a limit was reached.
    mutating func cut(_ cut: DiscoveryCut) { cuts.insert(cut) }

    /// Frees the memory that only adding needs.
    mutating func finish() { mentions = [] }
}
