import AFCPlatform
public import AFCText

/// A host that a certificate can be made for: a DNS name, or an IP address.
///
/// Two texts for the same host are equal: case, a dot at the end, brackets, and the spelling of an IPv6 address make
/// no difference.
public struct CertifiedHost: Hashable, Sendable, CustomStringConvertible {
    enum Form: Hashable, Sendable {
        /// Labels of lower-case letters, digits and hyphens, without a dot at the end.
        case name(String)
        /// Four or sixteen bytes.
        case address([UInt8])
    }

    let form: Form

    /// Parses a host as in a URL or in CONNECT, without the port.
    ///
    /// A name has at most 253 bytes, in labels of 1 to 63 letters, digits and hyphens (RFC 1123 §2.1); names beyond
    /// ASCII must be given as A-labels (RFC 5890 §2.3.2.1). Wildcards are refused, since a certificate is for one host.
    /// So is a name whose last label is a number, because some programs read it as an IPv4 address.
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

    /// The name in lower case, or the address without brackets.
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
        // C would end the text at a NUL.
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: size)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    /// Formats an address as RFC 5952 does.
    static func text(_ bytes: [UInt8]) -> String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "?" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func problem(_ name: String) -> String? {
        guard !name.isEmpty else { return "the host is empty" }
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else {
            return "a name beyond ASCII must be written in Punycode, as in 'xn--bcher-kva.example'"
        }
        guard !name.utf8.contains(UInt8(ascii: "*")) else {
            return "a certificate is for one host, so wildcards are not allowed"
        }
        guard name.utf8.count <= 253 else { return "a name can have at most 253 bytes" }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        for label in labels {
            guard (1...63).contains(label.utf8.count) else { return "each label of a name must have 1 to 63 bytes" }
            guard label.utf8.allSatisfy(isPartOfLabel), label.utf8.first != hyphen, label.utf8.last != hyphen else {
                return "labels of a host name can have only letters, digits and, between them, hyphens"
            }
        }
        guard let last = labels.last, !isNumber(last) else { return "neither a name nor an IP address" }
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

    /// Returns true if a label is a decimal or hexadecimal number, by the URL Standard's "ends in a number".
    private static func isNumber(_ label: Substring) -> Bool {
        if label.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) { return true }
        let small = label.lowercased()
        return small.hasPrefix("0x") && small.dropFirst(2).allSatisfy(\.isHexDigit)
    }
}
