internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

/// The manifest as JSON, as AFCache's packager printed it, with our names.
public enum ManifestDump {
    /// Returns an array with one object per line, in which missing values are null.
    ///
    ///     [
    ///     {"url":"http://docs.example/a","lastModified":null,"expires":null,"mediaType":"text/css","member":"…"}
    ///     ]
    ///
    /// - Parameter manifest: The manifest as it was written.
    /// - Returns: The JSON text, UTF-8, with a line end.
    public static func json(_ manifest: [UInt8]) -> [UInt8] {
        var reader = ManifestReader(manifest)
        var lines: [String] = []
        while let item = reader.next() {
            let entry = item.entry
            let members: [(String, JSONValue)] = [
                ("url", .string(entry.url.description)),
                ("lastModified", text(entry.lastModified.map { HTTPDate.format($0) })),
                ("expires", text(entry.expires.map { HTTPDate.format($0) })),
                ("mediaType", text(entry.mediaType)),
                ("member", .string(entry.member ?? MemberRule.name(for: entry.url))),
            ]
            lines.append(JSONValue.object(members).serialized)
        }
        return Array(("[\n" + lines.joined(separator: ",\n") + "\n]\n").utf8)
    }

    private static func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
}
