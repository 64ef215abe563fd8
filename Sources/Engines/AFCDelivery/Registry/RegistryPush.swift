internal import AFCFiles
internal import AFCPackageFile
public import AFCText
internal import HTTPTypes

/// The way of a package into a registry.
public enum RegistryPush {
    /// The number of bytes of one part of an upload.
    static let partSize = 4 << 20

    /// The package to push.
    public struct Package: Sendable {
        /// The path of the zip.
        public var path: String
        /// The digest of the contents.
        public var contents: String
        /// The package's date, as text.
        public var created: String?
        /// The name that the package states; nil if it states none.
        public var name: String?
        /// What to attest about the package; nil to attest nothing.
        public var attestation: PackageAttestation?

        /// Creates the description of a package.
        ///
        /// - Parameters:
        ///   - path: The path of the zip.
        ///   - contents: The digest of the contents.
        ///   - created: The package's date, as text.
        ///   - name: The name that the package states.
        public init(path: String, contents: String, created: String?, name: String? = nil) {
            self.path = path
            self.contents = contents
            self.created = created
            self.name = name
        }
    }

    /// What was pushed.
    public struct Pushed: Sendable {
        /// The digest of the manifest: `sha256:` and 64 digits.
        public let manifest: String
        /// The size of the zip in bytes.
        public let size: Int64
        /// The number of bytes of the zip that were sent.
        public let sent: Int64
        /// The digest of the attestation's manifest; nil if there is none.
        public var attestation: String?
    }

    /// Pushes a package.
    ///
    /// - Parameters:
    ///   - package: The package.
    ///   - reference: Its name in the registry, with a tag.
    ///   - logins: The credentials.
    ///   - options: The settings of the connection.
    ///   - onProgress: A closure called from time to time with the bytes that the registry has, and their total.
    /// - Returns: What was pushed.
    /// - Throws: ``DeliveryError``; what the registry has got by then is noted beside the package.
    @concurrent
    public static func push(
        _ package: Package,
        to reference: RegistryReference,
        logins: RegistryLogins,
        options: PackageDownload.Options,
        onProgress: @escaping @Sendable (Int64, Int64) -> Void = { _, _ in }
    ) async throws(DeliveryError) -> Pushed {
        try await RegistryClient.with(reference, logins: logins, options: options) { client throws(DeliveryError) in
            try await push(package, client, onProgress)
        }
    }

    /// Pushes an image from its layout.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - reference: Its name in the registry, with a tag.
    ///   - logins: The credentials.
    ///   - options: The settings of the connection.
    ///   - onProgress: A closure called from time to time with the bytes that the registry has, and their total.
    /// - Returns: What was pushed.
    /// - Throws: ``DeliveryError``; what the registry has got by then isn't sent again.
    @concurrent
    public static func push(
        _ image: WrittenImage,
        to reference: RegistryReference,
        logins: RegistryLogins,
        options: PackageDownload.Options,
        onProgress: @escaping @Sendable (Int64, Int64) -> Void = { _, _ in }
    ) async throws(DeliveryError) -> Pushed {
        try await RegistryClient.with(reference, logins: logins, options: options) { client throws(DeliveryError) in
            try await push(image, client, onProgress)
        }
    }

    private static func push(
        _ image: WrittenImage,
        _ client: RegistryClient,
        _ onProgress: @Sendable (Int64, Int64) -> Void
    ) async throws(DeliveryError) -> Pushed {
        try requireTag(client, "an image")
        let all = image.size
        var (done, sent): (Int64, Int64) = (0, 0)
        for blob in image.blobs {
            let path = image.folder + "/" + blob.digest.dropFirst("sha256:".count)
            let file: OpenFile
            do throws(FileError) {
                file = try OpenFile(reading: path)
            } catch {
                throw DeliveryError(.inputOutput, subject: path, message: error.message)
            }
            let upload = RegistryUpload(client: client, package: path, file: file, size: blob.size, digest: blob.digest)
            let before = done
            sent += try await upload.run { place, _ in onProgress(before + place, all) }
            upload.forget()
            done += blob.size
        }
        try await put(image.manifest, client)
        return Pushed(manifest: image.digest, size: all, sent: sent)
    }

    private static func requireTag(_ client: RegistryClient, _ what: String) throws(DeliveryError) {
        guard !client.reference.isPinned else {
            throw client.failure(.badURL, "\(what) is pushed to a tag; its digest follows from its contents")
        }
    }

    /// Lets a tag, or its digest, name a manifest, whose blobs the registry has.
    @discardableResult
    private static func put(
        _ manifest: [UInt8],
        as version: String? = nil,
        type: String = RegistryManifest.mediaType,
        _ client: RegistryClient
    ) async throws(DeliveryError) -> RegistryClient.Answer {
        let answer = try await client.send(
            .put,
            try client.url("manifests/\(version ?? client.reference.version)", "the manifest"),
            [.contentType: type],
            body: manifest,
            actions: "pull,push"
        )
        guard answer.status == 201 else {
            throw client.failure(.status(answer.status), "the registry refused the manifest (status \(answer.status))")
        }
        return answer
    }

    private static func push(
        _ package: Package,
        _ client: RegistryClient,
        _ onProgress: @Sendable (Int64, Int64) -> Void
    ) async throws(DeliveryError) -> Pushed {
        let reference = client.reference
        try requireTag(client, "a package")
        let file: HashedFile
        let size: Int64
        do throws(PackageError) {
            file = try HashedFile(path: package.path)
        } catch {
            throw DeliveryError(.inputOutput, subject: package.path, message: error.message)
        }
        do throws(FileError) {
            size = try file.file.size()
        } catch {
            throw DeliveryError(.inputOutput, subject: package.path, message: error.message)
        }
        var manifest = RegistryManifest(layer: "sha256:" + file.sha256, size: size)
        manifest.contents = package.contents
        manifest.created = package.created
        manifest.title = (package.name ?? reference.lastPart) + ".zip"
        let upload = RegistryUpload(
            client: client,
            package: package.path,
            file: file.file,
            size: size,
            digest: manifest.layer
        )
        let sent = try await upload.run(onProgress)
        try await upload.send(RegistryManifest.emptyConfig)
        let bytes = manifest.bytes
        let referrer = try referrer(of: manifest, package)
        if let referrer { try await upload.send(referrer.bundle) }
        try await put(bytes, client)
        upload.forget()
        if let referrer { try await attach(referrer, to: RegistryManifest.digest(bytes), client) }
        return Pushed(
            manifest: RegistryManifest.digest(bytes),
            size: size,
            sent: sent,
            attestation: referrer?.digest
        )
    }

    /// Returns the attestation that a package gets; nil if it gets none.
    static func referrer(
        of manifest: RegistryManifest,
        _ package: Package
    ) throws(DeliveryError) -> PackageAttestation.Referrer? {
        guard let attestation = package.attestation else { return nil }
        guard let referrer = attestation.referrer(of: manifest) else {
            throw DeliveryError(.inputOutput, subject: package.path, message: "the attestation could not be signed")
        }
        return referrer
    }

    /// Puts the manifest of an attestation, and lists it if the registry doesn't (OCI distribution specification 1.1, "Pushing
    /// Manifests with Subject").
    private static func attach(
        _ referrer: PackageAttestation.Referrer,
        to subject: String,
        _ client: RegistryClient
    ) async throws(DeliveryError) {
        let answer = try await put(referrer.manifest, as: referrer.digest, client)
        if HTTPField.Name("OCI-Subject").flatMap({ answer.fields[$0] }) == subject { return }
        let tag = subject.replacing(":", with: "-")
        let index = "application/vnd.oci.image.index.v1+json"
        let listed = try await client.send(
            .get,
            try client.url("manifests/\(tag)", "the list of attestations"),
            [.accept: index],
            actions: "pull",
            limit: RegistryManifest.byteLimit
        )
        var others: [JSONValue] = []
        if listed.status == 200 {
            guard let known = try? JSONValue(parsing: listed.body)["manifests"]?.array else {
                throw client.failure(.protocolViolation, "the tag \(tag) of the registry is no list of attestations")
            }
            others = known.filter { $0["digest"]?.string != referrer.digest }
        } else if listed.status != 404 {
            throw client.failure(
                .status(listed.status),
                "the registry refused the list of attestations (status \(listed.status))"
            )
        }
        let list = JSONValue.object([
            ("schemaVersion", .number("2")), ("mediaType", .string(index)),
            ("manifests", .array(others + [referrer.descriptor])),
        ])
        try await put(Array(list.serialized.utf8), as: tag, type: index, client)
    }
}
