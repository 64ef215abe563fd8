internal import AFCHTTP
internal import NIOSSL

extension ConnectionTrouble.Distrust {
    /// Finds the reason that a certificate isn't trusted.
    ///
    /// - Parameters:
    ///   - certificate: A certificate that was found not to be trusted.
    ///   - now: The time, in seconds since 1970.
    /// - Throws: An error if the certificate can't be encoded.
    init(_ certificate: NIOSSLCertificate, now: Int64) throws {
        if now > Int64(certificate.notValidAfter) {
            self = .expired(Timestamp(secondsSinceEpoch: Int64(certificate.notValidAfter)))
        } else if now < Int64(certificate.notValidBefore) {
            self = .notYetValid(Timestamp(secondsSinceEpoch: Int64(certificate.notValidBefore)))
        } else {
            let names = CertificateNames(try certificate.toDERBytes())
            self = names?.areEqual == true ? .selfSigned : .unknownIssuer
        }
    }
}

/// The issuer and the subject of a certificate in DER (RFC 5280 §4.1).
struct CertificateNames {
    /// True if both are the same, which makes the certificate self-signed.
    let areEqual: Bool

    /// Parses a certificate; nil if the bytes are malformed.
    init?(_ bytes: [UInt8]) {
        var certificate = DER(bytes[...])
        guard var outer = certificate.next(0x30), var inner = outer.next(0x30) else { return nil }
        // The version is optional.
        if inner.tag == 0xA0 { _ = inner.next(0xA0) }
        guard inner.next(0x02) != nil, inner.next(0x30) != nil, let issuer = inner.next(0x30), inner.next(0x30) != nil,
            let subject = inner.next(0x30)
        else { return nil }
        areEqual = issuer.bytes == subject.bytes
    }

    /// A sequence of DER elements.
    private struct DER {
        private(set) var bytes: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

        var tag: UInt8? { bytes.first }

        /// Takes an element with a tag, and returns its contents.
        mutating func next(_ tag: UInt8) -> DER? {
            guard bytes.count >= 2, bytes.first == tag else { return nil }
            var rest = bytes.dropFirst()
            guard let first = rest.popFirst() else { return nil }
            var length = Int(first)
            if first >= 0x80 {
                let count = Int(first & 0x7F)
                guard (1...4).contains(count), rest.count >= count else { return nil }
                length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(count)
            }
            guard length <= rest.count else { return nil }
            bytes = rest.dropFirst(length)
            return DER(rest.prefix(length))
        }
    }
}
