import AFCAuthority
import AFCHTTP
import AFCText
import Testing

/// Which certificates are kept, for how long.
struct ServerCertificatesTests {
    static let now = Timestamp.noon
    static let day: Int64 = 86400

    private func certificates(days: Int = 3650, capacity: Int = 1024) throws -> ServerCertificates {
        ServerCertificates(
            authority: try CertificateAuthority.make(name: "test", days: days, at: Self.now),
            capacity: capacity
        )
    }

    @Test func `a host gets one certificate, in whatever spelling, and each host its own`() throws {
        let kept = try certificates()
        let one = try kept.certificate(for: "docs.example", at: Self.now)
        #expect(try kept.certificate(for: "DOCS.example.", at: Self.now + 5).chain == one.chain)
        let other = try kept.certificate(for: "wiki.example", at: Self.now)
        #expect(other.chain != one.chain)
        #expect(other.privateKey == one.privateKey)
        #expect(kept.count == 2)
    }

    @Test func `the least recently used is removed first`() throws {
        let kept = try certificates(capacity: 2)
        let a = try kept.certificate(for: "a.example", at: Self.now)
        let b = try kept.certificate(for: "b.example", at: Self.now)
        #expect(try kept.certificate(for: "a.example", at: Self.now).chain == a.chain)
        _ = try kept.certificate(for: "c.example", at: Self.now)
        #expect(kept.count == 2)
        #expect(try kept.certificate(for: "a.example", at: Self.now).chain == a.chain)
        #expect(try kept.certificate(for: "b.example", at: Self.now).chain != b.chain)
    }

    @Test func `a certificate is renewed after two thirds of its lifetime`() throws {
        let kept = try certificates()
        let first = try kept.certificate(for: "docs.example", at: Self.now)
        #expect(try kept.certificate(for: "docs.example", at: Self.now + 60 * Self.day).chain == first.chain)
        let second = try kept.certificate(for: "docs.example", at: Self.now + 60 * Self.day + 1)
        #expect(second.chain != first.chain)
        #expect(second.notAfter == Self.now + 150 * Self.day + 1)
        #expect(kept.count == 1)
    }

    @Test func `near the authority's end no certificate is remade for each request`() throws {
        let kept = try certificates(days: 20)
        let first = try kept.certificate(for: "docs.example", at: Self.now)
        #expect(first.notAfter == Self.now + 20 * Self.day)
        #expect(try kept.certificate(for: "docs.example", at: Self.now + 20 * Self.day).chain == first.chain)
        let error = #expect(throws: AuthorityError.self) {
            try kept.certificate(for: "docs.example", at: Self.now + 20 * Self.day + 1)
        }
        #expect(error?.code == .expired)
    }

    @Test func `after the clock was set back, a certificate valid at that time is made`() throws {
        let kept = try certificates()
        let first = try kept.certificate(for: "docs.example", at: Self.now + 10 * Self.day)
        let second = try kept.certificate(for: "docs.example", at: Self.now)
        #expect(second.chain != first.chain)
        #expect(second.notBefore <= Self.now)
    }

    @Test func `a malformed host is refused and takes no room`() throws {
        let kept = try certificates()
        let error = #expect(throws: AuthorityError.self) { try kept.certificate(for: "*.example", at: Self.now) }
        #expect(error?.code == .badHost)
        #expect(kept.count == 0)
    }

    @Test func `many simultaneous tasks all get the same`() async throws {
        let kept = try certificates(capacity: 16)
        let chains = try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
            for index in 0..<200 {
                group.addTask { try kept.certificate(for: "h\(index % 8).example", at: Self.now).chain }
            }
            return try await group.reduce(into: Set<[[UInt8]]>()) { $0.insert($1) }
        }
        #expect(chains.count == 8)
        #expect(kept.count == 8)
    }
}
