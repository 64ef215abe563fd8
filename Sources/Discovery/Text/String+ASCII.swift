extension String {
    /// Without HTML's white space at both ends.
    var trimmedASCII: String {
        let bytes = utf8
        guard let first = bytes.firstIndex(where: { !$0.isSpace }), let last = bytes.lastIndex(where: { !$0.isSpace })
        else {
            return ""
        }
        return String(self[first...last])
    }

    /// The tokens between white space, in lower case.
    var lowercasedTokens: [String] {
        utf8.split(whereSeparator: { $0.isSpace }).map { String(Substring($0)).lowercased() }
    }
}
