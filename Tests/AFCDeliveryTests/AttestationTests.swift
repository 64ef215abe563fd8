import AFCHTTP
import AFCPackageFormat
import AFCText
import AFCURL
import Crypto
import Foundation
import TestOrigin
import TestSupport
import Testing

@testable import AFCDelivery

/// What a push says about the package that other programs verify.
struct AttestationTests {
    private static let zip = Array("PK".utf8)
    private static let index = "application/vnd.oci.image.index.v1+json"

    private static func key() throws -> SigningKey { try #require(SigningKey(seed: Array(0..<32))) }

    private static func manifest() -> RegistryManifest {
        var manifest = RegistryManifest(layer: RegistryManifest.digest(zip), size: Int64(zip.count))
        manifest.contents = String(repeating: "0c", count: 32)
        manifest.created = "2026-11-29T08:00:00Z"
        manifest.title = "docs.zip"
        return manifest
    }

    private static func attestation() throws -> PackageAttestation {
        PackageAttestation(seeds: ["https://docs.example/"], generator: "afcache/0.2.0", key: try key())
    }

    private static func referrer() throws -> PackageAttestation.Referrer {
        let referrer = try attestation().referrer(of: manifest())
        return try #require(referrer)
    }

    private static func data(_ value: JSONValue?) throws -> Data {
        let text = try #require(value?.string)
        return try #require(Data(base64Encoded: text))
    }

    @Test func `the bundle has a signed statement about the manifest and the zip`() throws {
        let bundle = try JSONValue(parsing: try Self.referrer().bundle)
        #expect(bundle["mediaType"]?.string == "application/vnd.dev.sigstore.bundle.v0.3+json")
        let hint = bundle["verificationMaterial"]?["publicKey"]?["hint"]?.string
        let key = try Self.key().publicKey
        #expect(hint == key.id)
        let envelope = try #require(bundle["dsseEnvelope"])
        #expect(envelope["payloadType"]?.string == "application/vnd.in-toto+json")
        let payload = try Self.data(envelope["payload"])
        let signature = try Self.data(envelope["signatures"]?.array?.first?["sig"])
        // As another program would, without our own code.
        let signed = Data("DSSEv1 28 application/vnd.in-toto+json \(payload.count) ".utf8) + payload
        let verifier = try Curve25519.Signing.PublicKey(rawRepresentation: key.bytes)
        #expect(verifier.isValidSignature(signature, for: signed))
        #expect(!verifier.isValidSignature(signature, for: payload))
        let statement = try JSONValue(parsing: Array(payload))
        #expect(statement["_type"]?.string == "https://in-toto.io/Statement/v1")
        #expect(statement["predicateType"]?.string == "https://slsa.dev/provenance/v1")
        let digests = statement["subject"]?.array?.compactMap { $0["digest"]?["sha256"]?.string }
        let expected = [RegistryManifest.digest(Self.manifest().bytes), RegistryManifest.digest(Self.zip)]
        #expect(digests == expected.map { String($0.dropFirst(7)) })
        let predicate = try #require(statement["predicate"])
        let parameters = predicate["buildDefinition"]?["externalParameters"]
        #expect(parameters?["seeds"]?.array?.compactMap(\.string) == ["https://docs.example/"])
        #expect(predicate["runDetails"]?["builder"]?["id"]?.string == "urn:afcache:afcache/0.2.0")
        #expect(predicate["runDetails"]?["metadata"]?["finishedOn"]?.string == "2026-11-29T08:00:00Z")
    }

    @Test func `the manifest leads from the package's to the bundle, and is the same each time`() throws {
        let referrer = try Self.referrer()
        let manifest = try JSONValue(parsing: referrer.manifest)
        #expect(manifest["subject"]?["digest"]?.string == RegistryManifest.digest(Self.manifest().bytes))
        #expect(manifest["artifactType"]?.string == PackageAttestation.bundleType)
        let layer = try #require(manifest["layers"]?.array?.first)
        #expect(layer["digest"]?.string == RegistryManifest.digest(referrer.bundle))
        #expect(layer["size"]?.integer == Int64(referrer.bundle.count))
        #expect(manifest["annotations"]?["dev.sigstore.bundle.content"]?.string == "dsse-envelope")
        #expect(referrer.descriptor["digest"]?.string == referrer.digest)
        #expect(try Self.attestation().referrer(of: Self.manifest())?.manifest == referrer.manifest)
    }

    // MARK: Registries

    private static func push(_ origin: TestOrigin, _ path: String) async throws -> RegistryPush.Pushed {
        var package = RegistryPush.Package(
            path: path,
            contents: manifest().contents ?? "",
            created: manifest().created,
            name: "docs"
        )
        package.attestation = try attestation()
        var options = PackageDownload.Options.patient(
            userAgent: "test",
            now: Timestamp(secondsSinceEpoch: 1_800_000_000)
        )
        options.pause = .milliseconds(1)
        options.retries = 1
        let reference = try RegistryReference("oci://\(origin.base.dropFirst("http://".count))/docs:1")
        return try await RegistryPush.push(package, to: reference, logins: RegistryLogins(), options: options)
    }

    /// Prepares a registry that has all blobs and takes all manifests.
    private static func registry(_ origin: TestOrigin, _ referrer: PackageAttestation.Referrer, lists: Bool) {
        for bytes in [zip, RegistryManifest.emptyConfig, referrer.bundle] {
            origin.set("/v2/docs/blobs/\(RegistryManifest.digest(bytes))", TestOrigin.Answer(200))
        }
        origin.set("/v2/docs/manifests/1", TestOrigin.Answer(201))
        let subject = RegistryManifest.digest(manifest().bytes)
        origin.set("/v2/docs/manifests/\(referrer.digest)", .init(201, lists ? [("OCI-Subject", subject)] : []))
    }

    @Test func `a registry that lists attestations gets the manifest only`() async throws {
        let scratch = try Scratch()
        try scratch.write(Self.zip, to: "p.zip")
        let referrer = try Self.referrer()
        try await TestOrigin.withOrigin([:]) { origin in
            Self.registry(origin, referrer, lists: true)
            let pushed = try await Self.push(origin, scratch.path("p.zip"))
            #expect(pushed.attestation == referrer.digest)
            #expect(origin.targets.suffix(2) == ["/v2/docs/manifests/1", "/v2/docs/manifests/\(referrer.digest)"])
            #expect(origin.requests.last?.body == String(decoding: referrer.manifest, as: UTF8.self))
        }
    }

    /// What the tag has for registries that list nothing themselves, and the number of entries afterwards; nil if it is refused.
    @Test(
        arguments: [
            (404, "", 1), (200, #"{"manifests":[{"digest":"sha256:00"}]}"#, 2), (200, #"{"manifests":[OWN]}"#, 1),
            (200, "[]", nil), (200, "{", nil), (500, "", nil),
        ] as [(Int, String, Int?)]
    )
    func `else the attestation is added to the list of the tag`(status: Int, list: String, count: Int?) async throws {
        let scratch = try Scratch()
        try scratch.write(Self.zip, to: "p.zip")
        let referrer = try Self.referrer()
        try await TestOrigin.withOrigin([:]) { origin in
            Self.registry(origin, referrer, lists: false)
            let tag = RegistryManifest.digest(Self.manifest().bytes).replacing(":", with: "-")
            let body = list.replacing("OWN", with: referrer.descriptor.serialized)
            origin.set(
                "/v2/docs/manifests/\(tag)",
                TestOrigin.Answer(status, [], body: Array(body.utf8)),
                TestOrigin.Answer(201)
            )
            guard let count else {
                await #expect(throws: DeliveryError.self) { try await Self.push(origin, scratch.path("p.zip")) }
                return
            }
            _ = try await Self.push(origin, scratch.path("p.zip"))
            let last = try #require(origin.requests.last)
            #expect(last.method == "PUT" && last.target == "/v2/docs/manifests/\(tag)")
            let sent = try JSONValue(parsing: Array(last.body.utf8))
            #expect(sent["mediaType"]?.string == Self.index)
            #expect(sent["manifests"]?.array?.count == count)
            #expect(sent["manifests"]?.array?.last?["digest"]?.string == referrer.digest)
        }
    }

    @Test func `a folder gets the attestation once, and the tag still names the package`() throws {
        let scratch = try Scratch()
        try scratch.write(Self.zip, to: "p.zip")
        let layout = try RegistryLayout("oci-layout:" + scratch.path("docs") + ":1")
        var package = RegistryPush.Package(
            path: scratch.path("p.zip"),
            contents: Self.manifest().contents ?? "",
            created: nil
        )
        package.attestation = try Self.attestation()
        let pushed = try layout.put(package)
        #expect(try layout.put(package).attestation == pushed.attestation)
        let index = try JSONValue(parsing: scratch.read("docs/index.json"))
        let digests = index["manifests"]?.array?.compactMap { $0["digest"]?.string }
        #expect(digests == [pushed.manifest, pushed.attestation ?? ""])
        #expect(try layout.find().sha256 == RegistryManifest.digest(Self.zip).dropFirst(7))
        let attestation = try #require(pushed.attestation)
        let blob = try scratch.read("docs/blobs/sha256/\(attestation.dropFirst(7))")
        #expect(try JSONValue(parsing: blob)["subject"]?["digest"]?.string == pushed.manifest)
        // It goes when another package takes the tag, and stays while another tag names its package.
        var next = RegistryPush.Package(path: scratch.path("q.zip"), contents: "", created: nil)
        try scratch.write(Self.zip + [0], to: "q.zip")
        let entries = { () throws -> [String?] in
            try JSONValue(parsing: scratch.read("docs/index.json"))["manifests"]?.array?.map { $0["digest"]?.string }
                ?? []
        }
        let other = try RegistryLayout("oci-layout:" + scratch.path("docs") + ":2")
        #expect(try other.put(package).manifest == pushed.manifest)
        next.contents = Self.manifest().contents ?? ""
        let replaced = try layout.put(next).manifest
        #expect(Set(try entries()) == [pushed.manifest, attestation, replaced])
        #expect(try other.put(next).manifest == replaced)
        #expect(Set(try entries()) == [replaced])
    }
}
