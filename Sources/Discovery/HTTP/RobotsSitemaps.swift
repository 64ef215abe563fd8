public import URLStandard

/// The `Sitemap` lines of a robots.txt (https://www.sitemaps.org/protocol.html), which belong to no group.
public enum RobotsSitemaps {
    /// Finds the sitemaps.
    ///
    /// - Parameters:
    ///   - bytes: The robots.txt, without content codings.
    ///   - url: Where it came from.
    ///   - limits: How much is taken.
    /// - Returns: The addresses in order, as links that load a sitemap.
    public static func references(
        in bytes: [UInt8],
        url: WebURL,
        limits: DiscoveryLimits = DiscoveryLimits()
    ) -> [ResolvedReference] {
        var references: [ResolvedReference] = []
        var resolver = ReferenceResolver(url: url, baseHref: nil, encoding: .utf8)
        bytes.withUnsafeBufferPointer { buffer in
            let text = ScanBuffer(buffer)
            TextLines.forEach(in: text) { line in
                guard let address = address(text, line), address.count <= limits.referenceBytes else { return true }
                var reference = Reference(
                    text.string(address),
                    .link,
                    .sitemap,
                    attribute: "sitemap",
                    at: address.lowerBound
                )
                reference.resolution = .utf8Address
                guard case .success(let target) = resolver.resolve(reference) else { return true }
                references.append(ResolvedReference(url: target, reference: reference))
                return references.count < limits.references
            }
        }
        return references
    }

    /// Where the address is in a line such as `Sitemap: https://docs.example/sitemap.xml # all of it`.
    private static func address(_ text: ScanBuffer, _ line: Range<Int>) -> Range<Int>? {
        guard text.hasPrefix("sitemap", at: line.lowerBound), line.count > 7 else { return nil }
        var start = line.lowerBound + 7
        while start < line.upperBound, text[start].isSpace { start += 1 }
        guard start < line.upperBound, text[start] == UInt8(ascii: ":") else { return nil }
        start += 1
        while start < line.upperBound, text[start].isSpace { start += 1 }
        // A comment begins at a mark behind white space; within an address it begins the fragment.
        var end = start
        while end < line.upperBound, !text[end].isSpace { end += 1 }
        guard end > start, text[start] != UInt8(ascii: "#") else { return nil }
        return start..<end
    }
}
