internal import AFCFiles
internal import AFCHTTP
internal import AFCPlatform
public import AFCText

extension RegistryLayout {
    /// Writes an image into the folder, which is made if it doesn't exist; other tags stay.
    ///
    /// It blocks the thread.
    ///
    /// - Parameter image: The image.
    /// - Returns: What was written.
    /// - Throws: ``DeliveryError``; the tag is then unchanged.
    public func put(_ image: SiteImage) throws(DeliveryError) -> WrittenImage {
        try change {
            for blob in image.base?.image.blobs ?? [] { try copy(blob, from: image.base) }
            let program = try LayerWriter(in: blobs, isCompressed: true, modified: 0)
            for entry in image.program.entries { try program.add(entry) }
            // A base has one.
            if image.base == nil { try program.add(folder: "tmp", mode: 0o1777) }
            let modified = image.created?.secondsSinceEpoch ?? 0
            // Packages are compressed themselves.
            let packages = try LayerWriter(in: blobs, isCompressed: false, modified: modified)
            for package in image.packages.sorted(by: { $0.name < $1.name }) {
                let files = [(package.place, package.path)] + (package.index.map { [(package.indexPlace, $0)] } ?? [])
                for (place, path) in files {
                    try packages.add(LayerWriter.Entry(path: String(place.dropFirst()), source: path, mode: 0o644))
                }
            }
            var configuration = ImageConfiguration(
                architecture: image.program.architecture,
                created: image.created?.iso8601,
                entryPoint: [ImageProgram.path] + image.serving,
                healthCheck: [ImageProgram.path] + image.checking,
                port: image.port,
                layers: [
                    (try program.finish(), "afcache: the program"), (try packages.finish(), "afcache: the packages"),
                ]
            )
            var labels = image.labels
            labels["org.opencontainers.image.base.digest"] = image.base?.image.digest
            configuration.labels = labels.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            configuration.base = image.base?.image
            let config = configuration.bytes
            try write(config)
            let manifest = configuration.manifest(config: config)
            let platform = JSONValue.object([
                ("architecture", .string(image.program.architecture)), ("os", .string("linux")),
            ])
            let own = configuration.layers.map { ImageBlob(digest: $0.layer.digest, size: $0.layer.size) }
            let written = WrittenImage(
                folder: blobs,
                manifest: manifest,
                blobs: (image.base?.image.blobs ?? []) + own
                    + [ImageBlob(digest: RegistryManifest.digest(config), size: Int64(config.count))]
            )
            return ([try tagged(manifest, ("platform", platform))], written)
        }
    }

    /// Copies a blob of the base, unless it is there.
    private func copy(_ blob: ImageBlob, from base: ImageBase?) throws(FileError) {
        guard let base, access(self.blob(blob.digest), F_OK) != 0 else { return }
        let source = try OpenFile(reading: base.folder + "/" + blob.digest.dropFirst("sha256:".count))
        let copy = try BlobWriter(in: blobs)
        try copy.append(source, min(blob.size, try source.size()))
        _ = try copy.finish(blob.digest)
    }

    /// Reads the image of the tag, for another one to build on.
    ///
    /// - Parameter program: The program, which must be for the same processor.
    /// - Returns: The image.
    /// - Throws: ``DeliveryError``.
    public func base(for program: ImageProgram) throws(DeliveryError) -> ImageBase {
        var manifest = try manifest()
        do throws(BaseImage.Problem) {
            let architecture = program.architecture
            if let digest = try BaseImage.manifest(in: manifest, for: architecture) {
                manifest = try read(digest)
            }
            let config = try read(try BaseImage.configuration(of: manifest).digest)
            let image = try BaseImage(manifest: manifest, configuration: config, for: architecture)
            return ImageBase(name: description, folder: blobs, image: image)
        } catch {
            throw failure(.protocolViolation, error.message)
        }
    }

    private func read(_ digest: String) throws(BaseImage.Problem) -> [UInt8] {
        do throws(DeliveryError) {
            return try manifest(digest)
        } catch {
            throw BaseImage.Problem(message: error.message)
        }
    }
}
