/// The path of a linted file in a report: relative to the working folder if the file is inside.
struct ReportPath: Equatable {
    /// The path with slashes, without `.` and `..`; absolute if the file is outside.
    let text: String

    init(_ path: String, in workingFolder: String) {
        let base = Self.parts(workingFolder)
        let parts = Self.parts(path.hasPrefix("/") ? path : workingFolder + "/" + path)
        text =
            parts.starts(with: base) && parts.count > base.count
            ? parts.dropFirst(base.count).joined(separator: "/") : "/" + parts.joined(separator: "/")
    }

    /// True if the file is inside the working folder.
    var isRelative: Bool { !text.hasPrefix("/") }

    /// The path as a URI reference (RFC 3986 §4.1), or as a URI if it is absolute.
    var uri: String {
        var uri = isRelative ? "" : "file://"
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"):
                uri.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                uri += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return uri
    }

    private static func parts(_ path: String) -> [Substring] {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return parts
    }
}
