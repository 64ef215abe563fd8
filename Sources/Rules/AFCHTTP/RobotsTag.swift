/// The directives of `X-Robots-Tag` fields.
///
/// No standard defines the field; see https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag.
package enum RobotsTag {
    private static let namesWithValue: Set<Substring> = [
        "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview",
    ]

    /// Returns the directives for a crawler: those without a name, and those after its name or `robots`.
    ///
    /// - Parameters:
    ///   - values: The fields' values, in order.
    ///   - productToken: The crawler's name in robots.txt, compared without regard to case.
    /// - Returns: The directives in lower case, in order, without those that have a value.
    package static func directives(_ values: [String], for productToken: String) -> [Substring] {
        values.flatMap { value in
            var directives: [Substring] = []
            // A name before a colon addresses the directives that follow it, up to the next such name.
            var isForUs = true
            for part in value.lowercased().split(separator: ",") {
                var rule = trimmed(part)
                if let colon = rule.firstIndex(of: ":") {
                    let name = trimmed(rule[..<colon])
                    guard !namesWithValue.contains(name) else { continue }
                    // The colons in a date of `unavailable_after` follow digits.
                    guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0 == "-" || $0 == "_" || $0 == "*" }) else {
                        continue
                    }
                    isForUs = isName(name, of: productToken)
                    rule = trimmed(rule[rule.index(after: colon)...])
                }
                if isForUs { directives.append(rule) }
            }
            return directives
        }
    }

    /// Returns true if a name means all crawlers, or the one with this product token.
    ///
    /// - Parameters:
    ///   - name: The name in lower case.
    ///   - productToken: The crawler's name in robots.txt, compared without regard to case.
    /// - Returns: True if so.
    package static func isName(_ name: Substring, of productToken: String) -> Bool {
        name == "robots" || name == "*" || name == productToken.lowercased()
    }

    /// Returns a text without the white space at its ends.
    package static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
