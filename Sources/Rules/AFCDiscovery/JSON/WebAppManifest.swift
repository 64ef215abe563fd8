/// Finds the references of a web app manifest (https://www.w3.org/TR/appmanifest/).
///
/// References are icons, screenshots, the start page and shortcuts.
///
/// Not references are `scope`, `id`, and members that take parameters: `share_target`, `protocol_handlers`,
/// `file_handlers`.
enum WebAppManifest {
    /// Reads a manifest; a text that is not JSON has no references, as in browsers.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - limits: The limits on what is taken.
    ///   - keepsRepeats: Whether to return each occurrence of a reference.
    /// - Returns: The references in the order of the text.
    static func references(
        in bytes: ScanBuffer,
        _ limits: DiscoveryLimits,
        keepsRepeats: Bool = false
    ) -> ReferenceList {
        var references = ReferenceList(keepsRepeats: keepsRepeats)
        let isJSON = JSONWalk.forEachString(in: bytes) { found in
            guard let place = places.first(where: { found.isAt($0.path) }) else { return }
            guard let text = found.text(limit: limits.referenceBytes), !text.isEmpty else { return }
            var reference = Reference(text, place.kind, place.loads, attribute: place.name, at: found.range.lowerBound)
            reference.resolution = .utf8Address
            references.add(reference, limits)
        }
        return isJSON ? references : ReferenceList()
    }

    private struct Place: Sendable {
        var path: [StaticString]
        var kind: Reference.Kind
        var loads: Destination
        var name: String
    }

    /// The paths of references; an empty name is an array element.
    private static let places = [
        Place(path: ["icons", "", "src"], kind: .requisite, loads: .image, name: "icons"),
        Place(path: ["screenshots", "", "src"], kind: .requisite, loads: .image, name: "screenshots"),
        Place(path: ["shortcuts", "", "icons", "", "src"], kind: .requisite, loads: .image, name: "icons"),
        Place(path: ["shortcuts", "", "url"], kind: .link, loads: .document, name: "shortcuts"),
        Place(path: ["start_url"], kind: .link, loads: .document, name: "start_url"),
    ]
}
