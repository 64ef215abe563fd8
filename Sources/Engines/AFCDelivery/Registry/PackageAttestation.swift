public import AFCPackageFormat
internal import AFCText

/// A signed statement about a package in a registry that other programs verify: an in-toto Statement v1 with SLSA Provenance v1,
/// in a DSSE envelope, in a Sigstore bundle 0.3, which cosign's bundle specification attaches to a manifest.
///
/// Pure: the same package and key give the same bytes.
public struct PackageAttestation: Sendable {
    /// The media type of the bundle, which is the type of the artifact, too.
    static let bundleType = "application/vnd.dev.sigstore.bundle.v0.3+json"
    static let payloadType = "application/vnd.in-toto+json"
    static let predicateType = "https://slsa.dev/provenance/v1"
    private static let buildType = "urn:afcache:package:v1"

    /// What the package's crawl began with.
    public var seeds: [String]
    /// The program that made the package, and its version.
    public var generator: String?
    /// The key that signs.
    public var key: SigningKey

    /// Creates the description of an attestation.
    ///
    /// - Parameters:
    ///   - seeds: What the package's crawl began with.
    ///   - generator: The program that made the package, and its version.
    ///   - key: The key that signs.
    public init(seeds: [String], generator: String?, key: SigningKey) {
        (self.seeds, self.generator, self.key) = (seeds, generator, key)
    }

    /// What belongs to the manifest of a package.
    struct Referrer {
        /// The blob.
        var bundle: [UInt8]
        /// The manifest that leads from the package's to the blob.
        var manifest: [UInt8]
        /// The entry of a list of what belongs to the package.
        var descriptor: JSONValue

        /// The digest of the manifest, with its algorithm.
        var digest: String { RegistryManifest.digest(manifest) }
    }

    /// Signs the statement about a package, and returns what carries it.
    ///
    /// - Parameter package: The package's manifest.
    /// - Returns: The blob, and the manifest that refers to the package's; nil if the system has no randomness for signing.
    func referrer(of package: RegistryManifest) -> Referrer? {
        let payload = Array(statement(of: package).serialized.utf8)
        guard let signature = key.signature(for: Self.signed(payload)) else { return nil }
        let envelope = JSONValue.object([
            ("payload", .string(Base64.encode(payload))), ("payloadType", .string(Self.payloadType)),
            ("signatures", .array([.object([("sig", .string(Base64.encode(signature)))])])),
        ])
        let bundle = JSONValue.object([
            ("mediaType", .string(Self.bundleType)),
            ("verificationMaterial", .object([("publicKey", .object([("hint", .string(key.publicKey.id))]))])),
            ("dsseEnvelope", envelope),
        ])
        let bytes = Array(bundle.serialized.utf8)
        let annotations = JSONValue.object(
            [
                (RegistryManifest.created, package.created), ("dev.sigstore.bundle.content", "dsse-envelope"),
                ("dev.sigstore.bundle.predicateType", Self.predicateType),
            ].compactMap { name, value in value.map { (name, .string($0)) } }
        )
        let manifest = Array(
            JSONValue.object([
                ("schemaVersion", .number("2")), ("mediaType", .string(RegistryManifest.mediaType)),
                ("artifactType", .string(Self.bundleType)), ("config", RegistryManifest.config),
                ("layers", .array([RegistryManifest.descriptor(Self.bundleType, of: bytes)])),
                ("subject", RegistryManifest.descriptor(RegistryManifest.mediaType, of: package.bytes)),
                ("annotations", annotations),
            ]).serialized.utf8
        )
        let descriptor = RegistryManifest.descriptor(
            RegistryManifest.mediaType,
            of: manifest,
            [("artifactType", .string(Self.bundleType)), ("annotations", annotations)]
        )
        return Referrer(bundle: bytes, manifest: manifest, descriptor: descriptor)
    }

    /// Returns the statement; its subjects are the manifest, by which verifiers find it, and the zip.
    private func statement(of package: RegistryManifest) -> JSONValue {
        func subject(_ name: String, _ digest: String) -> JSONValue {
            .object([
                ("name", .string(name)),
                ("digest", .object([("sha256", .string(String(digest.dropFirst("sha256:".count))))])),
            ])
        }
        let title = package.title ?? "package.zip"
        // The names of subjects differ.
        let name = title.hasSuffix(".zip") ? String(title.dropLast(4)) : title + " (manifest)"
        let manifest = RegistryManifest.digest(package.bytes)
        let contents = package.contents.map { [("contentsDigest", JSONValue.string($0))] } ?? []
        let definition = JSONValue.object([
            ("buildType", .string(Self.buildType)),
            ("externalParameters", .object([("seeds", .array(seeds.map { .string($0) }))] + contents)),
        ])
        let times = package.created.map { [("metadata", JSONValue.object([("finishedOn", .string($0))]))] } ?? []
        let builder = JSONValue.object([("id", .string("urn:afcache:" + (generator ?? "unknown")))])
        return .object([
            ("_type", .string("https://in-toto.io/Statement/v1")),
            ("subject", .array([subject(name, manifest), subject(title, package.layer)])),
            ("predicateType", .string(Self.predicateType)),
            (
                "predicate",
                .object([("buildDefinition", definition), ("runDetails", .object([("builder", builder)] + times))])
            ),
        ])
    }

    /// Returns what is signed of a payload: its pre-authentication encoding (DSSE 1.0).
    static func signed(_ payload: [UInt8]) -> [UInt8] {
        Array("DSSEv1 \(payloadType.utf8.count) \(payloadType) \(payload.count) ".utf8) + payload
    }
}
