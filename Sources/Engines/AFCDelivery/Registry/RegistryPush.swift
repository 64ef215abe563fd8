internal import AFCFiles
internal import AFCPlatform
public import AFCText
internal import AFCURL
internal import Crypto
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

        /// Creates the description of a package.
        ///
        /// - Parameters:
        ///   - path: The path of the zip.
        ///   - contents: The digest of the contents.
        ///   - created: The package's date, as text.
        public init(path: String, contents: String, created: String?) {
            self.path = path
            self.contents = contents
            self.created = created
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
        let client = try RegistryClient(reference, logins: logins, options: options)
        let result: Result<Pushed, DeliveryError>
        do throws(DeliveryError) {
            result = .success(try await push(package, client, onProgress))
        } catch {
            result = .failure(error)
        }
        await client.shutDown()
        return try result.get()
    }

    private static func push(
        _ package: Package,
        _ client: RegistryClient,
        _ onProgress: @Sendable (Int64, Int64) -> Void
    ) async throws(DeliveryError) -> Pushed {
        let reference = client.reference
        guard !reference.isPinned else {
            throw client.failure(.badURL, "a package is pushed to a tag; its digest follows from its contents")
        }
        let file: OpenFile
        let size: Int64
        let sha256: String
        do throws(FileError) {
            file = try OpenFile(reading: package.path)
            size = try file.size()
            sha256 = try Self.digest(of: file, size)
        } catch {
            throw DeliveryError(.inputOutput, subject: package.path, message: error.message)
        }
        var manifest = RegistryManifest(layer: "sha256:" + sha256, size: size)
        manifest.contents = package.contents
        manifest.created = package.created
        manifest.title = reference.lastPart + ".zip"
        let upload = RegistryUpload(
            client: client,
            package: package.path,
            file: file,
            size: size,
            digest: manifest.layer
        )
        let sent = try await upload.run(onProgress)
        try await upload.sendConfig()
        let bytes = manifest.bytes
        let answer = try await client.send(
            .put,
            try client.url("manifests/\(reference.version)", "the manifest"),
            [.contentType: RegistryManifest.mediaType],
            body: bytes,
            actions: "pull,push"
        )
        guard answer.status == 201 else {
            throw client.failure(.status(answer.status), "the registry refused the manifest (status \(answer.status))")
        }
        upload.forget()
        return Pushed(manifest: RegistryManifest.digest(bytes), size: size, sent: sent)
    }

    private static func digest(of file: OpenFile, _ size: Int64) throws(FileError) -> String {
        var hash = SHA256()
        var place: Int64 = 0
        while place < size {
            let bytes = try file.bytes(Int(min(Int64(1 << 20), size - place)), at: place)
            hash.update(data: bytes)
            place += Int64(bytes.count)
        }
        return Hexadecimal.text(hash.finalize())
    }
}

/// The upload of a blob in parts, which goes on where an earlier one ended.
private struct RegistryUpload {
    let client: RegistryClient
    let package: String
    let file: OpenFile
    let size: Int64
    let digest: String

    /// The file that says where the upload is.
    private var note: String { package + ".push" }
    private var key: String { "\(client.root)\n\(digest)\n" }

    /// Uploads the blob, unless the registry has it.
    ///
    /// - Returns: The number of bytes sent.
    func run(_ onProgress: @Sendable (Int64, Int64) -> Void) async throws(DeliveryError) -> Int64 {
        if try await isThere(digest) { return 0 }
        var sent: Int64 = 0
        var (session, place) = try await earlier()
        var restarts = 0
        while true {
            let target: WebURL
            if let session { target = session } else { (target, place) = (try await begin(), 0) }
            remember(target)
            var current = target
            var isLost = false
            while place < size {
                let count = min(Int64(RegistryPush.partSize), size - place)
                let bytes = try read(place, Int(count))
                let answer = try await client.send(
                    .patch,
                    current,
                    [.contentType: "application/octet-stream", .contentRange: "\(place)-\(place + count - 1)"],
                    body: bytes,
                    actions: "pull,push"
                )
                guard [201, 202, 204].contains(answer.status) else {
                    // The registry has forgotten the upload, or counts differently.
                    guard [404, 416].contains(answer.status) else { throw refused(answer.status) }
                    isLost = true
                    break
                }
                sent += count
                place += count
                current = try location(answer) ?? current
                remember(current)
                onProgress(place, size)
            }
            if !isLost {
                let answer = try await client.send(
                    .put,
                    try finished(current),
                    [.contentType: "application/octet-stream"],
                    body: [],
                    actions: "pull,push"
                )
                if answer.status == 201 { return sent }
                guard [400, 404, 416].contains(answer.status) else { throw refused(answer.status) }
            }
            restarts += 1
            guard restarts <= 2 else {
                throw client.failure(.protocolViolation, "the registry lost the upload \(restarts) times")
            }
            session = nil
        }
    }

    /// Uploads the empty config, unless the registry has it.
    func sendConfig() async throws(DeliveryError) {
        let config = RegistryManifest.digest(RegistryManifest.emptyConfig)
        if try await isThere(config) { return }
        let target = try await begin()
        let answer = try await client.send(
            .put,
            try finished(target, config),
            [.contentType: "application/octet-stream"],
            body: RegistryManifest.emptyConfig,
            actions: "pull,push"
        )
        guard answer.status == 201 else { throw refused(answer.status) }
    }

    private func isThere(_ digest: String) async throws(DeliveryError) -> Bool {
        let url = try client.url("blobs/\(digest)", "the package")
        let answer = try await client.send(.head, url, actions: "pull,push")
        switch answer.status {
        case 200: return true
        // Some registries redirect to where the blob is.
        case 307, 302: return true
        case 404: return false
        default: throw refused(answer.status)
        }
    }

    private func begin() async throws(DeliveryError) -> WebURL {
        let answer = try await client.send(.post, try client.url("blobs/uploads/", "uploads"), actions: "pull,push")
        guard answer.status == 202, let location = try location(answer) else { throw refused(answer.status) }
        return location
    }

    /// Returns the upload that an earlier push left, and how much the registry has of it.
    private func earlier() async throws(DeliveryError) -> (WebURL?, Int64) {
        guard let bytes = try? OpenFile(reading: note).contents(upTo: 1 << 16),
            let text = String(validating: bytes, as: UTF8.self), text.hasPrefix(key),
            let url = try? client.url(String(text.dropFirst(key.count).prefix { $0 != "\n" }), "the upload"),
            url.origin == client.root.origin
        else { return (nil, 0) }
        let answer = try await client.send(.get, url, actions: "pull,push")
        guard answer.status == 204, let range = HTTPField.Name("Range").flatMap({ answer.fields[$0] }) else {
            return (nil, 0)
        }
        // "0-0" is also what registries answer if there is nothing.
        let last = range.split(separator: "-").last.flatMap { Int64($0) } ?? 0
        guard last > 0, last < size else { return (nil, 0) }
        return (try location(answer) ?? url, last + 1)
    }

    private func location(_ answer: RegistryClient.Answer) throws(DeliveryError) -> WebURL? {
        guard let text = answer.fields[.location] else { return nil }
        return try client.url(text, "the upload")
    }

    private func finished(_ url: WebURL, _ digest: String? = nil) throws(DeliveryError) -> WebURL {
        let text = url.description
        return try client.url(
            text + (text.contains("?") ? "&" : "?") + "digest=" + (digest ?? self.digest),
            "the upload"
        )
    }

    private func read(_ place: Int64, _ count: Int) throws(DeliveryError) -> [UInt8] {
        do throws(FileError) {
            return try file.bytes(count, at: place)
        } catch {
            throw DeliveryError(.inputOutput, subject: package, message: error.message)
        }
    }

    private func refused(_ status: Int) -> DeliveryError {
        let isLogin = status == 401 || status == 403
        return client.failure(
            .status(status),
            isLogin
                ? "the registry refuses access (status \(status)); log in with 'docker login' or the like"
                : "the registry refused the package (status \(status))"
        )
    }

    /// Notes where the upload is.
    ///
    /// Without the note, an interrupted push only begins anew, so a failure does no harm.
    private func remember(_ url: WebURL) {
        try? Durable.write(Array("\(key)\(url)\n".utf8), to: note, mode: 0o600, replacing: true)
    }

    func forget() { unlink(note) }
}
