internal import AFCText

/// The configuration and the manifest of an image (OCI image specification 1.1), as bytes that are the same for the same
/// image.
///
/// Pure.
struct ImageConfiguration {
    static let mediaType = "application/vnd.oci.image.config.v1+json"
    private static let second = 1_000_000_000
    /// A user without a name and without rights, as other images have it.
    private static let user = "65532:65532"
    private static let path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

    /// The name of the processor.
    var architecture: String
    /// The date of the image, as text; nil if nothing says one.
    var created: String?
    /// The command line.
    var entryPoint: [String]
    /// The command line that tells if the server is healthy.
    var healthCheck: [String]
    /// The port that the server listens on.
    var port: UInt16
    /// What the image says of itself, in the order of the keys.
    var labels: [(key: String, value: String)] = []
    /// The layers that this image adds, and what made each of them.
    var layers: [(layer: ImageLayer, history: String)]
    /// The image that this one builds on.
    var base: BaseImage?

    /// The bytes of the configuration.
    var bytes: [UInt8] {
        func texts(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
        func number(_ value: Int) -> JSONValue { .number(String(value)) }
        let date: [(String, JSONValue)] = created.map { [("created", .string($0))] } ?? []
        let inherited = base?.environment ?? []
        let environment = inherited.contains { $0.hasPrefix("PATH=") } ? inherited : [Self.path] + inherited
        let check = JSONValue.object([
            ("Test", texts(["CMD"] + healthCheck)), ("Interval", number(30 * Self.second)),
            ("Timeout", number(5 * Self.second)), ("StartPeriod", number(10 * Self.second)), ("Retries", number(3)),
        ])
        let config = JSONValue.object([
            ("User", .string(Self.user)), ("ExposedPorts", .object([("\(port)/tcp", .object([]))])),
            ("Env", texts(environment)), ("Entrypoint", texts(entryPoint)), ("WorkingDir", .string("/")),
            ("Labels", .object(labels.map { ($0.key, .string($0.value)) })), ("StopSignal", .string("SIGTERM")),
            // Not in the specification; Docker reads it here.
            ("Healthcheck", check),
        ])
        let history = layers.map { JSONValue.object(date + [("created_by", .string($0.history))]) }
        return Array(
            JSONValue.object(
                date + [
                    ("architecture", .string(architecture)), ("os", .string("linux")), ("config", config),
                    (
                        "rootfs",
                        .object([
                            ("type", .string("layers")),
                            ("diff_ids", texts((base?.contents ?? []) + layers.map(\.layer.contents))),
                        ])
                    ), ("history", .array((base?.history ?? []) + history)),
                ]
            ).serialized.utf8
        )
    }

    /// Returns the bytes of the manifest that goes with the configuration.
    func manifest(config: [UInt8]) -> [UInt8] {
        let own = layers.map { Self.descriptor($0.layer.type, $0.layer.digest, $0.layer.size) }
        return Array(
            JSONValue.object([
                ("schemaVersion", .number("2")), ("mediaType", .string(RegistryManifest.mediaType)),
                (
                    "config",
                    Self.descriptor(Self.mediaType, RegistryManifest.digest(config), Int64(config.count))
                ), ("layers", .array((base?.layers ?? []) + own)),
                ("annotations", .object(labels.map { ($0.key, .string($0.value)) })),
            ]).serialized.utf8
        )
    }

    private static func descriptor(_ type: String, _ digest: String, _ size: Int64) -> JSONValue {
        .object([("mediaType", .string(type)), ("digest", .string(digest)), ("size", .number(String(size)))])
    }
}
