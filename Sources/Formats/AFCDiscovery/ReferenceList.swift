/// What a document refers to, each reference once, within the limits.
///
/// A reference that says the same as an earlier one, but for its place and its fragment, is left out: it takes no room that
/// another one needs.
struct ReferenceList: Sendable {
    /// In the order of the document.
    private(set) var references: [Reference] = []
    /// Which limits something was left out for.
    private(set) var cuts: Set<DiscoveryCut> = []
    private var mentions: Set<Mention> = []

    /// Whether there is no room for another reference.
    var isFull: Bool { cuts.contains(.references) }

    /// What makes two references the same.
    private struct Mention: Hashable {
        var text: String
        var kind: Reference.Kind
        var loads: Destination
        var isNofollow: Bool
        var isInert: Bool
        var resolution: Reference.Resolution
        var bases: [String]
        var precedesBase: Bool

        init(_ reference: Reference) {
            text = reference.text
            // A specifier of a script may begin with the sign.
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
        }
    }

    /// Adds a reference, unless nothing would be asked for, or it is there already.
    ///
    /// - Returns: Whether there is room for more.
    @discardableResult
    mutating func add(_ reference: Reference, _ limits: DiscoveryLimits) -> Bool {
        guard !isFull else { return false }
        guard !ReferenceText.needsNoRequest(reference.text) else { return true }
        guard reference.text.utf8.count <= limits.referenceBytes else {
            cut(.referenceBytes)
            return true
        }
        let mention = Mention(reference)
        guard !mentions.contains(mention) else { return true }
        guard references.count < limits.references else {
            cut(.references)
            return false
        }
        mentions.insert(mention)
        references.append(reference)
        return true
    }

    /// Notes that something was left out.
    mutating func cut(_ cut: DiscoveryCut) { cuts.insert(cut) }

    /// Frees what is needed only while references are added.
    mutating func finish() { mentions = [] }
}
