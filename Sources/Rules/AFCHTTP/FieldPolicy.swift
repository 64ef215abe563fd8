public import HTTPTypes

/// The treatment of each field of a message: the one table that storing, packing, forwarding and serving use.
///
/// A field that isn't in the table is stored, packed, forwarded and served.
public enum FieldPolicy {
    /// The properties of a field that matter.
    public struct Traits: OptionSet, Sendable {
        /// The traits as bits.
        public let rawValue: UInt16

        /// Creates traits.
        ///
        /// - Parameter rawValue: The traits as bits.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// Describes one connection only: not stored, packed or forwarded (RFC 9110 §7.6.1, RFC 9111 §3.1).
        public static let connection = Traits(rawValue: 1 << 0)
        /// Frames the body or controls the connection: written by the server itself.
        public static let framing = Traits(rawValue: 1 << 1)
        /// Meant for all recipients, so that Connection may not list it (RFC 9110 §7.6.1): without it a message changes
        /// its meaning.
        public static let endToEnd = Traits(rawValue: 1 << 2)
        /// Not stored, packed or served, whoever wrote it.
        public static let never = Traits(rawValue: 1 << 3)
        /// Not packed: it concerns one client, the transport, or the coding that was removed
        /// (docs/reference/format.md).
        public static let unpacked = Traits(rawValue: 1 << 4)
        /// Lets anyone who reads it act as a user.
        public static let secret = Traits(rawValue: 1 << 5)
        /// Not served from packages: it would bind a browser beyond the visit, ask it for credentials, redirect it by
        /// itself, or make it send reports.
        public static let harmful = Traits(rawValue: 1 << 6)
        /// Lets pages of other sites read the answer (the Fetch Standard, §3.3): not served at a host of the server's
        /// own, where it would let all pages read it that a browser visits.
        public static let sharing = Traits(rawValue: 1 << 7)
        /// A promise of an origin about its own transport: not passed on if this server terminates TLS.
        public static let promise = Traits(rawValue: 1 << 8)
    }

    /// The table; a field may occur in several rows.
    private static let rows: [(Traits, String)] = [
        // RFC 9110 §7.6.1, RFC 9111 §3.1.
        (
            .connection,
            """
            connection keep-alive proxy-connection proxy-authenticate proxy-authorization proxy-authentication-info te
            trailer transfer-encoding upgrade
            """
        ),
        (.framing, "connection content-length http2-settings keep-alive proxy-connection transfer-encoding upgrade"),
        (
            .endToEnd,
            """
            accept accept-charset accept-encoding accept-language accept-ranges age authorization cache-control
            cdn-cache-control content-encoding content-language content-length content-location content-range
            content-security-policy content-type cookie date etag expires forwarded host if-match if-modified-since
            if-none-match if-range if-unmodified-since last-modified location max-forwards origin pragma range set-cookie
            strict-transport-security vary via www-authenticate x-forwarded-for x-forwarded-host x-forwarded-proto
            x-real-ip
            """
        ),
        // RFC 6265 §4.2: only clients send it, so in a response it would be an echo of some client's.
        (.never, "cookie"),
        // What a package says beside a response's fields, for readers of this program only (docs/reference/format.md).
        (.never, "afcache-robots-usage afcache-page-usage"),
        (.unpacked, "alt-svc content-encoding content-length set-cookie set-cookie2"),
        (.secret, "authorization cookie proxy-authorization set-cookie set-cookie2"),
        // RFC 6797, RFC 7838, Clear Site Data, RFC 7469, RFC 9163.
        (
            .harmful,
            """
            strict-transport-security alt-svc clear-site-data public-key-pins public-key-pins-report-only expect-ct
            """
        ),
        // RFC 6265, Service Workers.
        (.harmful, "set-cookie set-cookie2 service-worker-allowed"),
        // RFC 9110 §11, RFC 7615, Device Bound Session Credentials, Login Status.
        (
            .harmful,
            """
            www-authenticate authentication-info proxy-authenticate proxy-authentication-info
            sec-session-registration secure-session-registration set-login login-status
            """
        ),
        // Client Hints.
        (.harmful, "accept-ch accept-ch-lifetime critical-ch delegate-ch activate-storage-access"),
        // The Refresh field, Speculation Rules.
        (.harmful, "refresh speculation-rules"),
        // Network Error Logging, Reporting, Attribution Reporting, Topics, Content Security Policy for reports only, RFC 9842.
        (
            .harmful,
            """
            nel report-to reporting-endpoints content-security-policy-report-only
            attribution-reporting-register-source attribution-reporting-register-trigger
            attribution-reporting-register-os-source attribution-reporting-register-os-trigger
            observe-browsing-topics shared-storage-write ad-auction-signals use-as-dictionary
            """
        ),
        (
            .sharing,
            """
            access-control-allow-origin access-control-allow-credentials access-control-allow-methods
            access-control-allow-headers access-control-allow-private-network access-control-expose-headers
            access-control-max-age timing-allow-origin
            """
        ),
        // RFC 6797, RFC 7838, RFC 7469, RFC 9163.
        (
            .promise,
            "strict-transport-security alt-svc public-key-pins public-key-pins-report-only expect-ct"
        ),
    ]

    private static let table: [String: Traits] = {
        var table: [String: Traits] = [:]
        for (traits, names) in rows {
            for name in names.split(whereSeparator: \.isWhitespace) {
                table[String(name), default: []].formUnion(traits)
            }
        }
        return table
    }()

    /// The lengths of the names that have a trait, as bits, for each bit of the traits; few other fields have one of
    /// them.
    private static let lengths: [UInt64] = (0..<Traits.RawValue.bitWidth).map { place in
        table.reduce(0) { $1.value.rawValue >> place & 1 == 0 ? $0 : $0 | bit($1.key) }
    }

    private static func bit(_ name: String) -> UInt64 { 1 << UInt64(min(name.utf8.count, 63)) }

    /// A search for fields with one of some traits, which rarely needs the table for other fields.
    fileprivate struct Search {
        private let traits: Traits
        private let lengths: UInt64

        init(_ traits: Traits) {
            self.traits = traits
            lengths = FieldPolicy.lengths.enumerated().reduce(0) {
                traits.rawValue >> $1.offset & 1 == 0 ? $0 : $0 | $1.element
            }
        }

        func matches(_ field: HTTPField) -> Bool {
            let name = field.name.canonicalName
            return lengths & bit(name) != 0 && !(table[name] ?? []).isDisjoint(with: traits)
        }
    }

    /// Returns the traits of a field.
    ///
    /// - Parameter name: The field.
    /// - Returns: The traits, which are empty for most fields.
    public static func traits(of name: HTTPField.Name) -> Traits { table[name.canonicalName] ?? [] }
}

extension HTTPFields {
    /// The fields without those that describe one connection only, and without those that Connection lists.
    ///
    /// See RFC 9110 §7.6.1 and RFC 9111 §3.1. Connection can't remove a field for all recipients, so that no sender can
    /// hide from a cache what an answer depends on.
    public var withoutConnectionFields: HTTPFields { without(.connection) }

    /// The fields of a response that a cache stores (RFC 9111 §3.1).
    public var storedFields: HTTPFields { without([.connection, .never]) }

    /// The fields of a response that a package contains; see docs/reference/format.md.
    public var packedFields: HTTPFields { without([.connection, .never, .unpacked, .secret]) }

    /// The fields that are sent to a client: every head, interim response and trailer of both protocols is written from
    /// these.
    package var sentFields: HTTPFields { without([.connection, .framing, .never]) }

    /// Returns the fields without those that have one of some traits, and without those that Connection lists.
    ///
    /// - Parameter traits: The traits to remove.
    /// - Returns: The remaining fields.
    public func without(_ traits: FieldPolicy.Traits) -> HTTPFields {
        let unwanted = FieldPolicy.Search(traits)
        guard contains(where: { $0.name == .connection || unwanted.matches($0) }) else { return self }
        let listed = Set(self[values: .connection].flatMap(FieldText.list).map { $0.lowercased() })
        return HTTPFields(
            filter {
                if unwanted.matches($0) { return false }
                return !listed.contains($0.name.canonicalName)
                    || FieldPolicy.traits(of: $0.name).contains(.endToEnd)
            }
        )
    }
}
