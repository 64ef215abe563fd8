/// Replaces the addresses in web app manifests and import maps.
enum JSONRewriting {
    /// Returns the edits of a web app manifest.
    static func manifest(_ text: ScanBuffer, _ addresses: inout AddressRewriting) -> [Edit] {
        let references = WebAppManifest.references(in: text, .rewriting, keepsRepeats: true).references
        return edits(text, references.map { ($0, $0.offset) }, &addresses)
    }

    /// Returns the edits of the addresses in an import map; what scripts write stays, so that it is still found.
    static func importMap(
        _ text: ScanBuffer,
        offset: Int,
        precedesBase: Bool,
        _ addresses: inout AddressRewriting
    ) -> [Edit] {
        let references = ImportMap(text, .rewriting).entries.map { entry in
            var reference = Reference(entry.address, .requisite, .module, attribute: "importmap", at: entry.offset)
            reference.resolution = .importMapAddress
            reference.precedesBase = precedesBase
            return (reference, entry.offset)
        }
        return edits(text, references, &addresses).map {
            Edit(range: $0.range.lowerBound + offset..<$0.range.upperBound + offset, text: $0.text)
        }
    }

    private static func edits(
        _ text: ScanBuffer,
        _ references: [(Reference, Int)],
        _ addresses: inout AddressRewriting
    ) -> [Edit] {
        var edits: [Edit] = []
        for (reference, start) in references {
            guard let address = addresses.replacement(of: reference) else { continue }
            var end = start
            while let byte = text.at(end), byte != UInt8(ascii: "\"") { end += byte == UInt8(ascii: "\\") ? 2 : 1 }
            // A URL has neither quotes nor backslashes.
            edits.append(Edit(range: start..<min(end, text.count), text: Array(address.utf8)))
        }
        return edits
    }
}

extension DiscoveryLimits {
    /// The limits for replacing references, of which each occurrence is kept; a page with more stays as it is.
    static let rewriting: DiscoveryLimits = {
        var limits = DiscoveryLimits()
        limits.references = 200_000
        limits.srcdocDepth = 0
        return limits
    }()
}
