import AFCPlatform
public import AFCText

/// A host that a certificate can be made for: a DNS name, or an IP address.
///
/// Two texts that mean the same host are equal: case, a dot at the end, brackets, and the ways to write one IPv6 address
/// make no difference.
public struct CertifiedHost: Hashable, Sendable, CustomStringConvertible {
    enum Form: Hashable, Sendable {
        /// Labels of small letters, digits and hyphens, without a dot at the end.
        case name(String)
        /// Four or sixteen bytes.
        case address([UInt8])
    }

    let form: Form

    /// Reads a host as it stands in a URL or in CONNECT, without the port.
    ///
    /// A name has at most 253 bytes, in labels of 1 to 63 letters, digits and hyphens (RFC 1123 §2.1); what isn't ASCII
    /// must be given as A-labels (RFC 5890 §2.3.2.1). Wildcards are refused: a certificate is for one host. So is a name
    /// whose last label is a number, which some programs take for an IPv4 address.
    ///
    /// - Parameter text: The host.
    /// - Throws: ``AuthorityError`` with ``AuthorityError/Code/badHost``.
    public init(_ text: some StringProtocol) throws(AuthorityError) {
        if let address = Self.address(text) {
            form = .address(address)
            return
        }
        let name = text.hasSuffix(".") ? String(text.dropLast()) : String(text)
        if let problem = Self.problem(name) {
            throw AuthorityError(.badHost, subject: String(text), message: problem)
        }
        form = .name(name.lowercased())
    }

    init(_ form: Form) { self.form = form }

    /// The name in small letters, or the address without brackets.
    public var description: String {
        switch form {
        case .name(let name): name
        case .address(let bytes): Self.text(bytes)
        }
    }

    private static func address(_ text: some StringProtocol) -> [UInt8]? {
        var text = String(text)
        if text.hasPrefix("["), text.hasSuffix("]") {
            text = String(text.dropFirst().dropLast())
            return parse(text, family: AF_INET6, size: 16)
        }
        return parse(text, family: AF_INET, size: 4) ?? parse(text, family: AF_INET6, size: 16)
    }

    private static func parse(_ text: String, family: Int32, size: Int) -> [UInt8]? {
        // A NUL would end the text early for C.
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: size)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    /// An address as RFC 5952 writes it.
    static func text(_ bytes: [UInt8]) -> String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "?" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func problem(_ name: String) -> String? {
        guard !name.isEmpty else { return "a host is needed" }
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else {
            return "a name beyond ASCII must be written in Punycode, as in 'xn--bcher-kva.example'"
        }
        guard !name.utf8.contains(UInt8(ascii: "*")) else {
            return "a certificate is for one host, never for a wildcard"
        }
        guard name.utf8.count <= 253 else { return "a name has at most 253 bytes" }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        for label in labels {
            guard (1...63).contains(label.utf8.count) else { return "each label of a name has 1 to 63 bytes" }
            guard label.utf8.allSatisfy(isPartOfLabel), label.utf8.first != hyphen, label.utf8.last != hyphen else {
                return "labels of a name have letters, digits and, between them, hyphens"
            }
        }
        guard let last = labels.last, !isNumber(last) else { return "this is neither a name nor an IP address" }
        return nil
    }

    private static let hyphen = UInt8(ascii: "-")

    private static func isPartOfLabel(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), hyphen: true
        default: false
        }
    }

    /// Whether a label is decimal or hexadecimal, as the URL Standard's "ends in a number" has it.
    private static func isNumber(_ label: Substring) -> Bool {
        if label.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) { return true }
        let small = label.lowercased()
        return small.hasPrefix("0x") && small.dropFirst(2).allSatisfy(\.isHexDigit)
    }
}
