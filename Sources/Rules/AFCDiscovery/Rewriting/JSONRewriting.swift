/// Replaces the addresses in web app manifests.
enum JSONRewriting {
    /// Returns the edits of a web app manifest.
    static func manifest(_ text: ScanBuffer, _ addresses: inout AddressRewriting) -> [Edit] {
        let list = WebAppManifest.references(in: text, .rewriting, keepsRepeats: true)
        var edits: [Edit] = []
        for reference in list.references {
            guard let address = addresses.replacement(of: reference) else { continue }
            var end = reference.offset
            while let byte = text.at(end), byte != UInt8(ascii: "\"") { end += byte == UInt8(ascii: "\\") ? 2 : 1 }
            // A URL has neither quotes nor backslashes.
            edits.append(Edit(range: reference.offset..<min(end, text.count), text: Array(address.utf8)))
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
