import ArgumentParser
import HTTPTypes
import PackageFormat

/// Fields of requests that a user wrote.
enum HeaderField {
    /// Reads `Name: value`.
    ///
    /// - Throws: A usage error, which doesn't repeat the value: it may be a secret.
    static func parse(_ text: String, place: String = "") throws -> HTTPField {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let shown = PackageProblem.quoted(parts.first.map(String.init) ?? "")
        guard parts.count == 2 else {
            throw ValidationError(
                "\(place)\(parts.isEmpty ? "a field" : "the field") has no colon; write 'Name: value'"
            )
        }
        guard let name = HTTPField.Name(String(parts[0])) else {
            throw ValidationError("\(place)\(shown) is no name of a field; write 'Name: value'")
        }
        let value = String(parts[1].drop { $0 == " " || $0 == "\t" })
        guard HTTPField.isValidValue(value) else {
            throw ValidationError("\(place)the value of \(shown) holds characters that no field may")
        }
        guard !ownNames.contains(name) else {
            throw ValidationError(
                "\(place)\(shown) is the crawler's own field\(name == .userAgent ? "; use '--user-agent'" : "")"
            )
        }
        return HTTPField(name: name, value: value)
    }

    /// Reads fields, and files of them that are named as `@FILE`.
    static func fields(_ texts: [String]) throws -> HTTPFields {
        var fields = HTTPFields()
        for text in texts {
            guard text.hasPrefix("@") else {
                fields.append(try parse(text, place: "--header: "))
                continue
            }
            let path = String(text.dropFirst())
            let bytes = try SmallFile.read(path, limit: 1 << 20)
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            for (index, line) in lines.enumerated() {
                let line = String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
                if line.isEmpty || line.hasPrefix("#") { continue }
                fields.append(try parse(line, place: "\(path):\(index + 1): "))
            }
        }
        return fields
    }

    private static let ownNames: Set<HTTPField.Name> = [
        .userAgent, .acceptEncoding, .contentLength, .transferEncoding, .connection, .range, .ifNoneMatch,
        .ifModifiedSince, .ifMatch, .ifUnmodifiedSince, .ifRange, .upgrade, .te,
    ]
}
