/// The texts of elements in what a bucket's server answers: XML without attributes that matter, in which no element
/// contains one of its own name.
///
/// Pure.
enum BucketXML {
    /// Returns the contents of all elements with a name, as they are written; nil if one isn't closed.
    static func all(_ name: String, in text: some StringProtocol) -> [Substring]? {
        var found: [Substring] = []
        var rest = Substring(text)
        while let start = rest.firstRange(of: "<\(name)>")?.upperBound {
            guard let end = rest[start...].firstRange(of: "</\(name)>")?.lowerBound else { return nil }
            found.append(rest[start..<end])
            rest = rest[end...]
        }
        return found
    }

    /// Returns the text of the first element with a name; nil if there is none, or it is empty.
    static func first(_ name: String, in text: some StringProtocol, limit: Int = 4096) -> String? {
        let text = Substring(text)
        guard let start = text.firstRange(of: "<\(name)>")?.upperBound,
            let end = text[start...].firstRange(of: "</\(name)>")?.lowerBound, start < end
        else { return nil }
        return unescaped(String(text[start..<end].prefix(limit)))
    }

    private static func unescaped(_ text: String) -> String {
        guard text.contains("&") else { return text }
        return [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&amp;", "&")]
            .reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
}
