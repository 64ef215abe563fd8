internal import AFCText
internal import Crypto

/// The manifest of an artifact that is a package: the empty config and one layer, the zip (OCI image specification 1.1).
///
/// Pure.
struct RegistryManifest: Equatable {
    /// The largest manifest that is read, in bytes; the OCI distribution specification wants registries to take as much.
    static let byteLimit = 4 << 20
    static let mediaType = "application/vnd.oci.image.manifest.v1+json"
    static let dockerMediaType = "application/vnd.docker.distribution.manifest.v2+json"
    static let artifactType = "application/vnd.afcache.package.v1"
    static let layerType = "application/vnd.afcache.package.v1+zip"
    /// The empty config, a blob of its own.
    static let emptyConfig = Array("{}".utf8)

    private static let title = "org.opencontainers.image.title"
    static let created = "org.opencontainers.image.created"
    private static let contents = "io.afcache.package.digest"

    /// What is wrong with a manifest.
    struct Problem: Error {
        /// A sentence; lower case, no full stop.
        var message: String
    }

    /// The digest of the zip: `sha256:` and 64 digits.
    var layer: String
    /// The size of the zip in bytes.
    var size: Int64
    /// The digest of the package's contents, if the manifest names it.
    var contents: String?
    /// The package's date, as text.
    var created: String?
    /// The file name that other programs give to the zip.
    var title: String?

    /// Returns the digest of bytes, with its algorithm.
    static func digest(_ bytes: [UInt8]) -> String { "sha256:" + Hexadecimal.text(SHA256.hash(data: bytes)) }

    init(layer: String, size: Int64) {
        self.layer = layer
        self.size = size
    }

    /// Reads a manifest.
    init(_ bytes: [UInt8]) throws(Problem) {
        let json: JSONValue
        do throws(JSONValue.SyntaxError) {
            json = try JSONValue(parsing: bytes)
        } catch {
            throw Problem(message: "the registry's manifest is not JSON")
        }
        guard json["manifests"] == nil else {
            throw Problem(message: "the name stands for several manifests; name one of them by its digest")
        }
        let layers = json["layers"]?.array ?? []
        guard json["schemaVersion"]?.integer == 2, !layers.isEmpty else {
            throw Problem(message: "the registry's manifest has no layers, so it isn't a package")
        }
        let zips = layers.filter(Self.isZip)
        guard zips.count == 1, layers.count == 1 else {
            throw Problem(message: "the artifact isn't one zip, so it isn't a package; it has \(layers.count) layers")
        }
        guard let digest = zips[0]["digest"]?.string, RegistryReference.isDigest(digest),
            let size = zips[0]["size"]?.integer, size > 0
        else { throw Problem(message: "the layer in the registry's manifest has no SHA-256 or no size") }
        layer = digest
        self.size = size
        title = zips[0]["annotations"]?[Self.title]?.string
        created = json["annotations"]?[Self.created]?.string
        if let text = json["annotations"]?[Self.contents]?.string {
            guard RegistryReference.isDigest("sha256:" + text) else {
                throw Problem(message: "'\(Self.contents)' in the registry's manifest is not a digest")
            }
            contents = text
        }
    }

    private static func isZip(_ layer: JSONValue) -> Bool {
        // '+gzip' is a compressed tar file.
        layer["mediaType"]?.string.map { $0.hasSuffix("+zip") || $0.hasSuffix("/zip") } ?? false
            || layer["annotations"]?[title]?.string?.hasSuffix(".zip") ?? false
    }

    /// Returns the descriptor of a blob or manifest.
    static func descriptor(
        _ type: String,
        _ digest: String,
        _ size: Int64,
        _ rest: [(String, JSONValue)] = []
    ) -> JSONValue {
        .object([("mediaType", .string(type)), ("digest", .string(digest)), ("size", .number(String(size)))] + rest)
    }

    /// Returns the descriptor of bytes.
    static func descriptor(_ type: String, of bytes: [UInt8], _ rest: [(String, JSONValue)] = []) -> JSONValue {
        descriptor(type, digest(bytes), Int64(bytes.count), rest)
    }

    /// The descriptor of the empty config.
    static var config: JSONValue {
        descriptor(
            "application/vnd.oci.empty.v1+json",
            of: emptyConfig,
            [("data", .string(Base64.encode(emptyConfig)))]
        )
    }

    /// The manifest's bytes, the same for the same package.
    var bytes: [UInt8] {
        let titles = title.map { [("annotations", JSONValue.object([(Self.title, .string($0))]))] } ?? []
        let annotations = [(Self.created, created), (Self.contents, contents)]
            .compactMap { name, value in value.map { (name, JSONValue.string($0)) } }
        var members: [(String, JSONValue)] = [
            ("schemaVersion", .number("2")), ("mediaType", .string(Self.mediaType)),
            ("artifactType", .string(Self.artifactType)), ("config", Self.config),
            ("layers", .array([Self.descriptor(Self.layerType, layer, size, titles)])),
        ]
        if !annotations.isEmpty { members.append(("annotations", .object(annotations))) }
        return Array(JSONValue.object(members).serialized.utf8)
    }
}
