package import AFCURL

/// The URL under which a package keeps a later answer to a request whose first one has the request's own URL.
///
/// It is that URL with a parameter for the answer's number; see docs/reference/recording.md.
package enum AnswerURL {
    /// The most answers of a request.
    package static let countLimit = 1000

    private static let parameter = "__afc_answer="

    /// Returns the URL of an answer.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - number: The answer's number, from 1 on; above ``countLimit`` it counts as that.
    /// - Returns: The URL; the request's own for the first answer.
    package static func url(_ url: WebURL, number: Int) -> WebURL {
        guard number > 1 else { return url }
        let end = "\(url.query == nil ? "?" : "&")\(parameter)\(min(number, countLimit))"
        return (try? WebURL("\(url)\(end)")) ?? url
    }

    /// Returns the request's URL and the number that a URL states; nil if it states none.
    ///
    /// - Parameter url: The URL.
    /// - Returns: The URL of the request, and the number, which is at least 2.
    package static func parts(of url: WebURL) -> (url: WebURL, number: Int)? {
        let text = url.description
        guard let mark = text.lastIndex(where: { $0 == "?" || $0 == "&" }) else { return nil }
        let last = text[text.index(after: mark)...]
        guard last.hasPrefix(parameter), let number = Int(last.dropFirst(parameter.count)), (2...countLimit) ~= number,
            let base = try? WebURL(String(text[..<mark]))
        else { return nil }
        return (base, number)
    }
}
