public import AFCText
public import AFCURL
internal import HTTPTypes

/// The way from the name of an artifact to the blob that is the package.
public enum RegistryPull {
    /// Where the package is, and what it must be.
    public struct Found: Sendable {
        /// The URL of the zip.
        public let url: WebURL
        /// The SHA-256 of the zip in hexadecimal digits.
        public let sha256: String
        /// The digest of the contents, if the manifest names it.
        public let contents: String?
        /// The size of the zip in bytes.
        public let size: Int64
        /// The value of Authorization for requests to the registry itself.
        let authorization: String?
    }

    /// Reads the manifest of an artifact.
    ///
    /// - Parameters:
    ///   - reference: The name.
    ///   - logins: The credentials.
    ///   - options: The settings of the download that follows.
    /// - Returns: The blob.
    /// - Throws: ``DeliveryError``.
    @concurrent
    public static func find(
        _ reference: RegistryReference,
        logins: RegistryLogins,
        options: PackageDownload.Options
    ) async throws(DeliveryError) -> Found {
        try await RegistryClient.with(reference, logins: logins, options: options) { client throws(DeliveryError) in
            try await find(client)
        }
    }

    private static func find(_ client: RegistryClient) async throws(DeliveryError) -> Found {
        let bytes = try await manifest(
            client,
            client.reference.version,
            [RegistryManifest.mediaType, RegistryManifest.dockerMediaType]
        )
        let manifest: RegistryManifest
        do throws(RegistryManifest.Problem) {
            manifest = try RegistryManifest(bytes)
        } catch {
            throw client.failure(.protocolViolation, error.message)
        }
        return Found(
            url: try client.url("blobs/\(manifest.layer)", "the package"),
            sha256: String(manifest.layer.dropFirst(7)),
            contents: manifest.contents,
            size: manifest.size,
            authorization: client.accepted
        )
    }

    /// Reads a manifest, and compares it with its digest.
    ///
    /// - Parameters:
    ///   - client: The repository.
    ///   - version: A tag or a digest.
    ///   - types: The media types that are accepted.
    /// - Returns: The bytes.
    /// - Throws: ``DeliveryError``.
    static func manifest(
        _ client: RegistryClient,
        _ version: String,
        _ types: [String]
    ) async throws(DeliveryError) -> [UInt8] {
        let answer = try await client.send(
            .get,
            try client.url("manifests/\(version)", "the manifest"),
            [.accept: types.joined(separator: ", ")],
            actions: "pull",
            limit: RegistryManifest.byteLimit
        )
        switch answer.status {
        case 200: break
        case 401, 403:
            throw client.failure(.status(answer.status), "the registry refuses access (status \(answer.status))")
        case 404: throw client.failure(.status(404), "the registry has no such artifact (status 404)")
        default: throw client.failure(.status(answer.status), "the registry answered \(answer.status)")
        }
        let digest = RegistryManifest.digest(answer.body)
        let stated = HTTPField.Name("Docker-Content-Digest").flatMap { answer.fields[$0] }
        for expected in [version, stated].compactMap({ $0 }) where expected.hasPrefix("sha256:") && expected != digest {
            throw client.failure(
                .digest,
                "the manifest has the digest \(digest), not \(PrintableText.escaped(String(expected.prefix(80))))"
            )
        }
        return answer.body
    }
}

extension PackageDownload.Options {
    /// Sets what a manifest says of the package.
    ///
    /// If it names the digest of the contents, that is what the package must have, so that a part of it suffices.
    ///
    /// - Parameter found: The blob.
    public mutating func expect(_ found: RegistryPull.Found) {
        maxBytes = min(maxBytes, found.size)
        if let authorization = found.authorization { self.authorization = (found.url.origin, authorization) }
    }
}
