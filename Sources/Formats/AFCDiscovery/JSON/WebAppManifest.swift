/// What a web app manifest refers to (https://www.w3.org/TR/appmanifest/): icons, screenshots, its start page and the
/// shortcuts to others.
///
/// Not references are `scope`, `id`, and what takes parameters: `share_target`, `protocol_handlers`, `file_handlers`.
enum WebAppManifest {
    /// Reads a manifest; a text that is no JSON refers to nothing, as browsers have it.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - limits: How much is taken.
    /// - Returns: The references in the order of the text.
    static func references(in bytes: ScanBuffer, _ limits: DiscoveryLimits) -> ReferenceList {
        var references = ReferenceList()
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

    /// Where references stand; an empty name is an element of an array.
    private static let places = [
        Place(path: ["icons", "", "src"], kind: .requisite, loads: .image, name: "icons"),
        Place(path: ["screenshots", "", "src"], kind: .requisite, loads: .image, name: "screenshots"),
        Place(path: ["shortcuts", "", "icons", "", "src"], kind: .requisite, loads: .image, name: "icons"),
        Place(path: ["shortcuts", "", "url"], kind: .link, loads: .document, name: "shortcuts"),
        Place(path: ["start_url"], kind: .link, loads: .document, name: "start_url"),
    ]
}
