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
    ///   - isTruncated: Becomes true where there were more references than that.
    /// - Returns: The references in the order of the text.
    static func references(in bytes: ScanBuffer, _ limits: DiscoveryLimits, _ isTruncated: inout Bool) -> [Reference] {
        var references: [Reference] = []
        var isFull = false
        let isJSON = JSONWalk.forEachString(in: bytes) { found in
            guard let (kind, loads, name) = meaning(of: found) else { return }
            guard let text = found.text(limit: limits.referenceBytes), !text.isEmpty else { return }
            guard references.count < limits.references else {
                isFull = true
                return
            }
            var reference = Reference(text, kind, loads, attribute: name, at: found.range.lowerBound)
            reference.resolution = .utf8Address
            references.append(reference)
        }
        guard isJSON else { return [] }
        isTruncated = isFull
        return references
    }

    private static func meaning(of found: JSONWalk.Found) -> (Reference.Kind, Destination, String)? {
        if found.isAt("icons", "", "src") { return (.requisite, .image, "icons") }
        if found.isAt("screenshots", "", "src") { return (.requisite, .image, "screenshots") }
        if found.isAt("shortcuts", "", "icons", "", "src") { return (.requisite, .image, "icons") }
        if found.isAt("shortcuts", "", "url") { return (.link, .document, "shortcuts") }
        if found.isAt("start_url") { return (.link, .document, "start_url") }
        return nil
    }
}
