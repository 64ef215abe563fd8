import SwiftASN1
import X509

/// The constraints on the hosts that an authority may sign for (RFC 5280 §4.2.1.10).
struct HostConstraints: Sendable, Equatable {
    /// The permitted DNS names, each with all names below it; an empty name permits all.
    var permittedNames: [String] = []
    var excludedNames: [String] = []
    /// The permitted addresses, each with a mask: 8 or 32 bytes.
    var permittedRanges: [[UInt8]] = []
    var excludedRanges: [[UInt8]] = []
    /// True if the certificate has no constraints of any kind.
    private(set) var isEmpty = true

    /// Creates constraints that permit any host.
    init() {}

    /// Creates constraints that permit these hosts and names below them; if there are none, any host.
    ///
    /// A constraint applies only to names of its own kind, so if one kind isn't wanted, it is excluded as a whole:
    /// otherwise an authority for `docs.example` could sign for `192.0.2.1`.
    init(only hosts: [CertifiedHost]) {
        for host in hosts {
            switch host.form {
            case .name(let name): permittedNames.append(name)
            case .address(let bytes): permittedRanges.append(bytes + bytes.map { _ in 0xFF })
            }
        }
        isEmpty = hosts.isEmpty
        guard !isEmpty else { return }
        if permittedNames.isEmpty { excludedNames = [""] }
        if !permittedRanges.contains(where: { $0.count == 8 }) { excludedRanges.append(Self.all(8)) }
        if !permittedRanges.contains(where: { $0.count == 32 }) { excludedRanges.append(Self.all(32)) }
    }

    /// Reads the constraints of a certificate.
    init(_ constraints: NameConstraints) {
        isEmpty = false
        (permittedNames, permittedRanges) = Self.hosts(constraints.permittedSubtrees)
        (excludedNames, excludedRanges) = Self.hosts(constraints.excludedSubtrees)
    }

    private static func all(_ size: Int) -> [UInt8] { [UInt8](repeating: 0, count: size) }

    private static func hosts(_ subtrees: [GeneralName]) -> ([String], [[UInt8]]) {
        var names: [String] = []
        var ranges: [[UInt8]] = []
        for subtree in subtrees {
            switch subtree {
            case .dnsName(let name): names.append(name.lowercased())
            case .ipAddress(let range): ranges.append(Array(range.bytes))
            default: continue
            }
        }
        return (names, ranges)
    }

    /// The extension's value, or nil if nothing is constrained.
    var nameConstraints: NameConstraints? {
        guard !isEmpty else { return nil }
        return NameConstraints(
            permittedDNSDomains: permittedNames,
            excludedDNSDomains: excludedNames,
            permittedIPRanges: permittedRanges.map { ASN1OctetString(contentBytes: $0[...]) },
            excludedIPRanges: excludedRanges.map { ASN1OctetString(contentBytes: $0[...]) }
        )
    }

    /// Returns true if a certificate for the host would be valid.
    func permits(_ host: CertifiedHost) -> Bool {
        switch host.form {
        case .name(let name):
            guard !excludedNames.contains(where: { Self.covers($0, name) }) else { return false }
            return permittedNames.isEmpty || permittedNames.contains { Self.covers($0, name) }
        case .address(let bytes):
            guard !excludedRanges.contains(where: { Self.covers($0, bytes) }) else { return false }
            return permittedRanges.isEmpty || permittedRanges.contains { Self.covers($0, bytes) }
        }
    }

    /// The permitted hosts as texts: names, addresses, and `address/mask` if the mask covers several addresses.
    var permittedHosts: [String] {
        permittedNames
            + permittedRanges.filter { $0.count == 8 || $0.count == 32 }.map { range in
                let (address, mask) = (Array(range.prefix(range.count / 2)), Array(range.suffix(range.count / 2)))
                let text = CertifiedHost.text(address)
                return mask.allSatisfy { $0 == 0xFF } ? text : "\(text)/\(CertifiedHost.text(mask))"
            }
    }

    private static func covers(_ constraint: String, _ name: String) -> Bool {
        // A dot in front isn't in RFC 5280, but some write it for "below it, and not itself".
        if constraint.isEmpty || name == constraint { return true }
        return name.hasSuffix(constraint.hasPrefix(".") ? constraint : "." + constraint)
    }

    private static func covers(_ range: [UInt8], _ address: [UInt8]) -> Bool {
        guard range.count == 2 * address.count else { return false }
        return address.indices.allSatisfy { index in
            let mask = range[index + address.count]
            return address[index] & mask == range[index] & mask
        }
    }
}
