internal import RawStructuredFieldValues

/// The names of groups in Cache-Groups and Cache-Group-Invalidation (RFC 9875).
package enum CacheGroups {
    /// The most groups of a field, and the longest name in bytes; the standard asks for 32 of 32 characters at least.
    private static let countLimit = 64
    private static let byteLimit = 256

    /// Reads the lines of a field: a list of strings, whose parameters are ignored (RFC 9875 §2).
    ///
    /// A field with anything else counts as absent (RFC 9651 §2). Names are compared as they are, with their case.
    ///
    /// - Parameter lines: The lines.
    /// - Returns: The names, each one once; names beyond the limits are left out.
    package static func names(in lines: [String]) -> [String] {
        guard let members = StructuredText.list(lines) else { return [] }
        var names: [String] = []
        for member in members {
            guard case .item(let item) = member, case .string(let name) = item.rfc9651BareItem else { return [] }
            guard name.utf8.count <= byteLimit, names.count < countLimit, !names.contains(name) else { continue }
            names.append(name)
        }
        return names
    }
}
