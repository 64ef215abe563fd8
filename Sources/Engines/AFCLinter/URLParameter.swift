internal import AFCURL

/// A parameter of a URL's query, or of a path segment as in `;jsessionid=…`.
struct URLParameter: Sendable {
    /// The name as written.
    var name: String
    /// The value as written.
    var value: String
    /// True if the parameter is in the path.
    var isInPath: Bool

    /// Returns the parameters of a URL that have a value; at most the first 200.
    static func all(of url: WebURL) -> [URLParameter] {
        var parameters: [URLParameter] = []
        // A URL's text is ASCII, and splitting bytes is faster than splitting characters.
        let path = url.path.utf8
        if path.contains(UInt8(ascii: ";")) {
            for segment in path.split(separator: UInt8(ascii: "/")) {
                for part in segment.split(separator: UInt8(ascii: ";")).dropFirst() {
                    add(part, isInPath: true, to: &parameters)
                }
            }
        }
        for part in (url.query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            add(part, isInPath: false, to: &parameters)
        }
        return parameters
    }

    private static func add(_ part: Substring.UTF8View, isInPath: Bool, to parameters: inout [URLParameter]) {
        guard let equals = part.firstIndex(of: UInt8(ascii: "=")), parameters.count < 200 else { return }
        let value = part[part.index(after: equals)...]
        guard !value.isEmpty else { return }
        let name = String(Substring(part[..<equals]))
        parameters.append(URLParameter(name: name, value: String(Substring(value)), isInPath: isInPath))
    }
}
