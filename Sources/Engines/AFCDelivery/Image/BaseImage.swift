internal import AFCText

/// An image that another one builds on: what its manifest and its configuration say.
///
/// Pure.
struct BaseImage: Equatable {
    /// The most layers; Docker's limit.
    private static let layerLimit = 127
    /// Docker's names of what the OCI image specification describes.
    private static let types = [
        "application/vnd.docker.image.rootfs.diff.tar.gzip": ImageLayer.gzipType,
        "application/vnd.docker.image.rootfs.diff.tar": ImageLayer.plainType,
    ]

    /// What is wrong with an image.
    struct Problem: Error, Equatable {
        /// A sentence; lower case, no full stop.
        var message: String
    }

    /// The digest of the manifest.
    var digest: String
    /// The blobs of the layers, from the lowest on.
    var blobs: [ImageBlob]
    /// The digests of the layers' archives.
    var contents: [String]
    /// The descriptors of the layers.
    var layers: [JSONValue]
    /// What the configuration says of how the layers were made.
    var history: [JSONValue]
    /// The variables, each as `NAME=VALUE`.
    var environment: [String]

    /// Finds the manifest for a processor in an index of several; nil if the bytes are a manifest themselves.
    ///
    /// - Parameters:
    ///   - bytes: An index or a manifest.
    ///   - architecture: The name of the processor.
    /// - Returns: The digest of the manifest.
    /// - Throws: ``Problem``.
    static func manifest(in bytes: [UInt8], for architecture: String) throws(Problem) -> String? {
        let json = try parse(bytes, "the manifest")
        guard let entries = json["manifests"]?.array else { return nil }
        let fitting = entries.first { entry in
            entry["platform"]?["os"]?.string == "linux" && entry["platform"]?["architecture"]?.string == architecture
        }
        guard let digest = fitting?["digest"]?.string, RegistryReference.isDigest(digest) else {
            throw Problem(message: "there is no image for linux/\(architecture), which the program is for")
        }
        return digest
    }

    /// Returns the blob with the configuration that a manifest names.
    static func configuration(of manifest: [UInt8]) throws(Problem) -> ImageBlob {
        let json = try parse(manifest, "the manifest")
        guard json["layers"]?.array != nil, let blob = blob(json["config"]) else {
            throw Problem(message: "this is not an image")
        }
        return blob
    }

    /// Reads an image.
    ///
    /// - Parameters:
    ///   - manifest: The bytes of the manifest.
    ///   - configuration: The bytes of the configuration.
    ///   - architecture: The name of the processor that the program is for.
    /// - Throws: ``Problem``.
    init(manifest: [UInt8], configuration: [UInt8], for architecture: String) throws(Problem) {
        let json = try Self.parse(manifest, "the manifest")
        let config = try Self.parse(configuration, "the configuration")
        let layers = json["layers"]?.array ?? []
        contents = config["rootfs"]?["diff_ids"]?.array?.compactMap(\.string) ?? []
        guard !layers.isEmpty, layers.count <= Self.layerLimit, contents.count == layers.count,
            contents.allSatisfy({ RegistryReference.isDigest($0) })
        else { throw Problem(message: "this is not an image: its layers don't match its configuration") }
        guard config["os"]?.string == "linux", config["architecture"]?.string == architecture else {
            let place = "\(config["os"]?.string ?? "?")/\(config["architecture"]?.string ?? "?")"
            throw Problem(
                message: "the image is for \(PrintableText.escaped(String(place.prefix(80)))), and the program for "
                    + "linux/\(architecture)"
            )
        }
        digest = RegistryManifest.digest(manifest)
        blobs = []
        self.layers = []
        for layer in layers {
            guard let blob = Self.blob(layer), let type = layer["mediaType"]?.string, layer["urls"] == nil else {
                throw Problem(message: "a layer of the image has no SHA-256, no size or no type, or is kept elsewhere")
            }
            let known = Self.types[type] ?? type
            guard known.hasPrefix(ImageLayer.plainType) else {
                throw Problem(message: "a layer of the image has an unknown type, so this isn't an image that runs")
            }
            blobs.append(blob)
            self.layers.append(
                .object([
                    ("mediaType", .string(known)), ("digest", .string(blob.digest)),
                    ("size", .number(String(blob.size))),
                ])
            )
        }
        history = config["history"]?.array ?? []
        environment = config["config"]?["Env"]?.array?.compactMap(\.string) ?? []
    }

    private static func blob(_ descriptor: JSONValue?) -> ImageBlob? {
        guard let digest = descriptor?["digest"]?.string, RegistryReference.isDigest(digest),
            let size = descriptor?["size"]?.integer, size > 0
        else { return nil }
        return ImageBlob(digest: digest, size: size)
    }

    private static func parse(_ bytes: [UInt8], _ what: String) throws(Problem) -> JSONValue {
        do throws(JSONValue.SyntaxError) {
            return try JSONValue(parsing: bytes)
        } catch {
            throw Problem(message: "\(what) of the image is not JSON")
        }
    }
}
