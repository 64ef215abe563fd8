internal import AFCURL
internal import Crypto

/// An origin of packaged resources: scheme, host and port.
package struct PackagedOrigin: Hashable, Sendable {
    /// A scheme of packaged resources.
    enum Scheme: String, CaseIterable, Sendable {
        case https, http
        /// The scheme of packages that were made from a folder without a base URL.
        case folder = "afcpkg"
    }

    let scheme: Scheme
    /// The host, and the port unless it is the scheme's own.
    let authority: Authority

    init(_ scheme: Scheme, _ authority: Authority) {
        self.scheme = scheme
        let own: UInt16? =
            switch scheme {
            case .https: 443
            case .http: 80
            case .folder: nil
            }
        self.authority = Authority(host: authority.host, port: authority.port == own ? nil : authority.port)
    }

    /// Returns the origin of a URL; nil if it has another scheme, or no host.
    init?(_ url: WebURL) {
        guard let scheme = Scheme(rawValue: url.scheme), let host = url.host, !host.isEmpty else { return nil }
        self.init(scheme, Authority(host: host, port: url.port))
    }

    /// The origin as in a URL, without a path.
    var text: String { "\(scheme.rawValue)://\(authority)" }
}

/// The name of an origin below a name of this server, as one label of a host name; docs/reference/serve.md, "Names of
/// origins".
///
/// With the origin's own dots, a host such as `evil.com.localhost` could set cookies for its siblings, and no wildcard
/// certificate would cover the names.
package enum OriginName: Hashable, Sendable {
    /// The name tells the origin.
    case origin(PackagedOrigin)
    /// The digest of an origin whose name would be too long, or no host name.
    case digest(String)

    /// The longest label (RFC 1035 §2.3.4).
    private static let longest = 63
    private static let digestMark = "o---"
    /// A mark before names that would otherwise begin as an internationalized label does.
    private static let internationalMark = "i---"
    /// The number of hexadecimal digits of a digest.
    private static let digestLength = 40

    /// Returns the label of an origin.
    package static func label(of origin: PackagedOrigin) -> String {
        plainLabel(of: origin) ?? digestMark + digest(of: origin)
    }

    /// Returns the meaning of a label in lower case; nil if it is no origin's label.
    package init?(label: String) {
        guard label.utf8.count <= Self.longest else { return nil }
        if label.hasPrefix(Self.digestMark) {
            let digits = label.dropFirst(Self.digestMark.count)
            if digits.utf8.count == Self.digestLength, digits.allSatisfy(\.isHexDigit) {
                self = .digest(String(digits))
                return
            }
        }
        for rest in [Substring(label), label.dropFirst(Self.internationalMark.count)] {
            // An odd run of three hyphens or more is in no host's name.
            let mark = rest.lastMark("---")
            let readings = [(rest, ""[...])] + (mark.map { [(rest[..<$0.lowerBound], rest[$0.upperBound...])] } ?? [])
            for (name, suffix) in readings {
                guard let host = Self.host(name), let origin = Self.origin(host, suffix),
                    Self.plainLabel(of: origin) == label
                else { continue }
                self = .origin(origin)
                return
            }
        }
        return nil
    }

    /// Returns true if a label with this meaning is that of an origin.
    func means(_ origin: PackagedOrigin) -> Bool {
        switch self {
        case .origin(let own): own == origin
        case .digest(let digest): Self.plainLabel(of: origin) == nil && Self.digest(of: origin) == digest
        }
    }

    // MARK: Labels

    private static func plainLabel(of origin: PackagedOrigin) -> String? {
        let host = origin.authority.host
        guard let first = host.utf8.first, let last = host.utf8.last, host.utf8.count <= longest,
            ![first, last].contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }),
            host.utf8.allSatisfy(isNamePart), !["..", "-.", ".-"].contains(where: host.contains),
            // A host of another scheme may be none of http.
            Authority(host)?.host == host
        else { return nil }
        var label = ""
        for character in host {
            switch character {
            case ".": label += "-"
            case "-": label += "--"
            default: label.append(character)
            }
        }
        if label.hasPrefix("xn--") { label = internationalMark + label }
        label += suffix(of: origin)
        return label.utf8.count <= longest ? label : nil
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || "-._".utf8.contains(byte)
    }

    /// What tells an origin from https at the default port.
    private static func suffix(of origin: PackagedOrigin) -> String {
        let port = origin.authority.port
        return switch origin.scheme {
        case .https: port.map { "---s\($0)" } ?? ""
        case .http: "---\(port ?? 80)"
        case .folder: "---f" + (port.map { "\($0)" } ?? "")
        }
    }

    private static func digest(of origin: PackagedOrigin) -> String {
        SHA256.hash(data: Array(origin.text.utf8)).prefix(digestLength / 2).map {
            ($0 < 16 ? "0" : "") + String($0, radix: 16)
        }.joined()
    }

    // MARK: Meaning

    private static func origin(_ host: String, _ suffix: Substring) -> PackagedOrigin? {
        func authority(_ digits: Substring) -> Authority? {
            guard let port = UInt16(digits), port > 0 else { return nil }
            return Authority(host: host, port: port)
        }
        switch suffix.first {
        case nil: return PackagedOrigin(.https, Authority(host: host, port: nil))
        case "s": return authority(suffix.dropFirst()).map { PackagedOrigin(.https, $0) }
        case "f":
            let digits = suffix.dropFirst()
            if digits.isEmpty { return PackagedOrigin(.folder, Authority(host: host, port: nil)) }
            return authority(digits).map { PackagedOrigin(.folder, $0) }
        default: return authority(suffix).map { PackagedOrigin(.http, $0) }
        }
    }

    /// Returns the host that a label without marks stands for; nil if it is none.
    private static func host(_ label: Substring) -> String? {
        var host = ""
        var hyphens = 0
        for character in label + "." {
            if character == "-" {
                hyphens += 1
                continue
            }
            guard hyphens < 2 || hyphens.isMultiple(of: 2) else { return nil }
            host += hyphens == 1 ? "." : String(repeating: "-", count: hyphens / 2)
            hyphens = 0
            host.append(character)
        }
        host.removeLast()
        guard let authority = Authority(host), authority.port == nil, authority.host == host else { return nil }
        return host
    }
}

extension Substring {
    /// Returns the range of the last occurrence of a mark of hyphens, at the end of its run.
    fileprivate func lastMark(_ mark: String) -> Range<Index>? {
        ranges(of: mark).last.map { found in
            var end = found.upperBound
            while end < endIndex, self[end] == "-" { end = index(after: end) }
            return index(end, offsetBy: -mark.count)..<end
        }
    }
}
