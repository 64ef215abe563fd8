internal import AFCText
public import AFCURL
internal import Crypto

/// The rules for the names of packages, in a cache and inside a package.
public enum PackageName {
    /// Returns true if a package may have the name: one line of 1 to 255 bytes, since names are displayed and listed.
    ///
    /// - Parameter name: The name.
    /// - Returns: Whether a cache accepts it.
    public static func isValid(_ name: String) -> Bool {
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
            default: true
            }
        }
        return !name.isEmpty && name.utf8.count <= 255 && isPlain
    }

    /// Returns true if a package may state the name as its own.
    ///
    /// Nobody chose such a name on the machine that loads the package, so it also must not look like a path, an option
    /// or a hidden file: it has no `/` and no `\`, doesn't begin with `.` or `-`, and has no space at an end.
    ///
    /// - Parameter name: The name.
    /// - Returns: Whether readers accept it.
    public static func isValidInside(_ name: String) -> Bool {
        guard isValid(name), let first = name.unicodeScalars.first, let last = name.unicodeScalars.last else {
            return false
        }
        return first != "." && first != "-" && !first.properties.isWhitespace && !last.properties.isWhitespace
            && !name.unicodeScalars.contains { $0 == "/" || $0 == "\\" }
    }

    /// Returns the name of a package of a site: the host of its start URLs, its port unless it is the scheme's default,
    /// and the folder that all of them are in, joined by hyphens, such as `docs.example-guide`.
    ///
    /// Two parts of one host therefore have two names. A digest follows if the readable part leaves something out: a
    /// query, characters other than ASCII letters, digits, `.`, `-` and `_`, or what doesn't fit.
    ///
    /// - Parameter seeds: The start URLs; those on other hosts than the first make no difference.
    /// - Returns: The name; nil without a URL that has a host.
    public static func suggested(for seeds: [WebURL]) -> String? {
        guard let first = seeds.first, let host = first.host, !host.isEmpty else { return nil }
        let ours = seeds.filter { $0.host == host && $0.effectivePort == first.effectivePort }
        var segments = segments(of: first)
        var query = first.query
        if ours.count > 1 {
            query = nil
            segments.removeLast(segments.isEmpty ? 0 : 1)
            for seed in ours.dropFirst() {
                segments = zip(segments, Self.segments(of: seed)).prefix { $0 == $1 }.map(\.0)
            }
        } else if let last = segments.last, last == "index.html" || last == "index.htm" {
            segments.removeLast()
        }
        let port = first.port.map { [String($0)] } ?? []
        let text = ([host] + port + segments.map(String.init)).joined(separator: "-")
        let plain = String(decoding: text.utf8.map { isPlain($0) ? $0 : UInt8(ascii: "_") }.prefix(120), as: UTF8.self)
        let name = plain.hasPrefix(".") || plain.hasPrefix("-") ? "_" + plain.dropFirst() : plain
        guard name != text || query != nil else { return name }
        let whole = text + (query.map { "?" + $0 } ?? "")
        let digest = SHA256.hash(data: Array(whole.utf8)).prefix(4)
        return name + "-" + Hexadecimal.text(digest)
    }

    private static func segments(of url: WebURL) -> [Substring] { url.path.split(separator: "/") }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || "-._".utf8.contains(byte)
    }
}

/// The places from which packages come.
public enum PackageSource {
    /// Returns true if a source is a URL or the name of an artifact in a registry, and not a path.
    ///
    /// - Parameter from: The source.
    /// - Returns: Whether it begins with one of the schemes.
    public static func isRemote(_ from: String) -> Bool {
        ["https://", "http://", "oci://", "s3://"].contains { from.hasPrefix($0) }
    }

    /// Returns a source in the form that the other functions read: its scheme in lower case (RFC 3986 §3.1), and the path
    /// of a `file:` URL of this machine.
    ///
    /// - Parameter from: The source as a user wrote it.
    /// - Returns: The source; a path, and a URL with another scheme, as it is.
    public static func normalized(_ from: String) -> String {
        guard let colon = from.firstIndex(of: ":") else { return from }
        let scheme = from[..<colon].lowercased()
        let rest = from[from.index(after: colon)...]
        switch scheme {
        case "https", "http", "oci", "s3": return rest.hasPrefix("//") ? scheme + ":" + rest : from
        case "oci-layout": return scheme + ":" + rest
        case "file":
            // RFC 8089 §2.
            guard let host = ["//localhost/", "///"].first(where: rest.hasPrefix) else { return from }
            let path = rest.dropFirst(host.utf8.count - 1)
            return String(validating: PercentDecoding.decode(path.utf8), as: UTF8.self) ?? from
        default: return from
        }
    }

    /// Returns the name of a package that states none: the last part of a path or URL, without query and suffix, or of
    /// an artifact's name, without tag.
    ///
    /// - Parameter from: The source.
    /// - Returns: The name; empty if the source has no last part.
    public static func defaultName(of from: String) -> String {
        if from.hasPrefix("oci://") || from.hasPrefix("oci-layout:") {
            let name =
                from.dropFirst(from.hasPrefix("oci-layout:") ? "oci-layout:".count : 0).prefix { $0 != "@" }.split(
                    separator: "/"
                ).last ?? ""
            return String(name.prefix { $0 != ":" })
        }
        let path = from.prefix { $0 != "?" && $0 != "#" }
        let rest = path.firstRange(of: "://").map { path[$0.upperBound...].drop { $0 != "/" } } ?? path
        let file = rest.split(separator: "/").last.map(String.init) ?? ""
        // What begins with a digit belongs to a version, as in 'v1.2.3'.
        guard let dot = file.lastIndex(of: "."), dot != file.startIndex,
            file[file.index(after: dot)...].first?.isNumber != true
        else { return file }
        return String(file[..<dot])
    }

    /// Returns a source for messages, which others may read: a URL has `?…` in place of its query, since that may have
    /// a token.
    ///
    /// - Parameter from: The source.
    /// - Returns: The source without what may be secret.
    public static func shown(_ from: String) -> String {
        guard isHTTP(from), let mark = from.firstIndex(of: "?") else { return from }
        return from[..<mark] + "?…"
    }

    private static func isHTTP(_ from: String) -> Bool { from.hasPrefix("https://") || from.hasPrefix("http://") }
}
