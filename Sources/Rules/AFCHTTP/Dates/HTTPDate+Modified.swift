extension HTTPDate {
    /// Returns true if a version of a resource that replaces another one has a later Last-Modified, as far as the
    /// response's fields say.
    ///
    /// Dates have seconds. A resource that was sent in the second of its last change may change again in that second,
    /// and a request with If-Modified-Since would then get a 304 (RFC 9110 §8.8.2.2).
    ///
    /// - Parameters:
    ///   - lastModified: The value of Last-Modified.
    ///   - date: The value of Date in the same response. Without it, nothing is known against the validator.
    /// - Returns: False if Last-Modified isn't a date, or isn't earlier than Date.
    public static func distinguishes(_ lastModified: String, date: String?) -> Bool {
        guard let modified = parse(lastModified) else { return false }
        guard let made = date.flatMap({ parse($0) }) else { return true }
        return made > modified
    }
}
