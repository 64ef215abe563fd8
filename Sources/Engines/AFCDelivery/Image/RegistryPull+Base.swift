internal import AFCFiles
public import AFCText
internal import AFCURL

extension RegistryPull {
    private static let types = [
        "application/vnd.oci.image.index.v1+json", "application/vnd.docker.distribution.manifest.list.v2+json",
        RegistryManifest.mediaType, RegistryManifest.dockerMediaType,
    ]

    /// Downloads an image for another one to build on.
    ///
    /// - Parameters:
    ///   - reference: The name of the image.
    ///   - program: The program, which must be for the same processor.
    ///   - folder: An existing folder for the layers.
    ///   - logins: The credentials.
    ///   - options: The settings of the downloads.
    ///   - onProgress: A closure called from time to time with the bytes received of the layers, and their total.
    /// - Returns: The image.
    /// - Throws: ``DeliveryError``.
    @concurrent
    public static func base(
        _ reference: RegistryReference,
        for program: ImageProgram,
        into folder: String,
        logins: RegistryLogins,
        options: PackageDownload.Options,
        onProgress: @escaping @Sendable (Int64, Int64) -> Void = { _, _ in }
    ) async throws(DeliveryError) -> ImageBase {
        try await RegistryClient.with(reference, logins: logins, options: options) { client throws(DeliveryError) in
            try await base(client, program, folder, options, onProgress)
        }
    }

    private static func base(
        _ client: RegistryClient,
        _ program: ImageProgram,
        _ folder: String,
        _ options: PackageDownload.Options,
        _ onProgress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(DeliveryError) -> ImageBase {
        func problem(_ error: BaseImage.Problem) -> DeliveryError { client.failure(.protocolViolation, error.message) }
        var manifest = try await manifest(client, client.reference.version, types)
        let config: ImageBlob
        do throws(BaseImage.Problem) {
            if let digest = try BaseImage.manifest(in: manifest, for: program.architecture) {
                do throws(DeliveryError) {
                    manifest = try await self.manifest(client, digest, types)
                } catch {
                    throw BaseImage.Problem(message: error.message)
                }
            }
            config = try BaseImage.configuration(of: manifest)
        } catch {
            throw problem(error)
        }
        guard config.size <= RegistryManifest.byteLimit else {
            throw client.failure(.tooLarge, "the configuration of the image is larger than 4 MiB")
        }
        let image: BaseImage
        let path = try await download(config, client, folder, options) { _ in }
        do {
            let bytes = try OpenFile(reading: path).contents(upTo: RegistryManifest.byteLimit)
            image = try BaseImage(manifest: manifest, configuration: bytes, for: program.architecture)
        } catch let error as BaseImage.Problem {
            throw problem(error)
        } catch {
            throw DeliveryError(.inputOutput, subject: path, message: "\(error)")
        }
        let all = image.blobs.reduce(0) { $0 + $1.size }
        var done: Int64 = 0
        for blob in image.blobs {
            let before = done
            _ = try await download(blob, client, folder, options) { onProgress(before + $0, all) }
            done += blob.size
        }
        return ImageBase(name: client.reference.description, folder: folder, image: image)
    }

    /// Downloads a blob to a file that is named by its digest.
    private static func download(
        _ blob: ImageBlob,
        _ client: RegistryClient,
        _ folder: String,
        _ options: PackageDownload.Options,
        _ onProgress: @escaping @Sendable (Int64) -> Void
    ) async throws(DeliveryError) -> String {
        let digits = String(blob.digest.dropFirst("sha256:".count))
        let path = folder + "/" + digits
        let url = try client.url("blobs/\(blob.digest)", "a layer")
        var options = options
        options.sha256 = digits
        options.maxBytes = blob.size
        if let authorization = client.accepted { options.authorization = (url.origin, authorization) }
        let outcome = try await PackageDownload.fetch(url, into: folder + "/parts", options: options) { received, _ in
            onProgress(received)
        }
        guard case .arrived(let file) = outcome else {
            throw client.failure(.protocolViolation, "the registry doesn't send a layer of the image")
        }
        defer { file.discard() }
        do throws(FileError) {
            try Durable.rename(file.path, to: path)
        } catch {
            throw DeliveryError(.inputOutput, subject: path, message: error.message)
        }
        return path
    }
}
