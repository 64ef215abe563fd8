internal import AFCFiles
internal import AFCPlatform
public import AFCText
internal import AFCZip
internal import Crypto

/// A folder with artifacts, as other programs exchange them without a registry: the OCI image layout 1.1,
/// `oci-layout:FOLDER[:TAG]`.
public struct RegistryLayout: Sendable, Equatable {
    /// The beginning of such names.
    public static let prefix = "oci-layout:"
    private static let refName = "org.opencontainers.image.ref.name"
    private static let defaultTag = "latest"
    private static let indexLimit = 4 << 20

    /// The folder.
    public let folder: String
    /// The tag.
    public let tag: String

    /// Reads a name.
    ///
    /// - Parameter text: The name; without a tag, it is `latest`.
    /// - Throws: ``DeliveryError`` with the code `badURL`.
    public init(_ text: String) throws(DeliveryError) {
        let rest = text.dropFirst(Self.prefix.count)
        let slash = rest.lastIndex(of: "/") ?? rest.startIndex
        if let colon = rest.lastIndex(of: ":"), colon >= slash {
            folder = String(rest[..<colon])
            tag = String(rest[rest.index(after: colon)...])
        } else {
            folder = String(rest)
            tag = Self.defaultTag
        }
        guard text.hasPrefix(Self.prefix), !folder.isEmpty, RegistryReference.isTag(tag) else {
            throw DeliveryError(.badURL, subject: text, message: "write oci-layout:FOLDER:TAG")
        }
    }

    /// The name, in full.
    public var description: String { Self.prefix + folder + ":" + tag }

    // MARK: Reading

    /// The zip of the tag.
    public struct Found: Sendable, Equatable {
        /// The path of the zip.
        public let path: String
        /// The SHA-256 that it must have, in hexadecimal digits.
        public let sha256: String
    }

    /// Finds the zip of the tag.
    ///
    /// - Returns: The file, whose digest isn't checked yet.
    /// - Throws: ``DeliveryError``.
    public func find() throws(DeliveryError) -> Found {
        let bytes = try manifest()
        do throws(RegistryManifest.Problem) {
            let manifest = try RegistryManifest(bytes)
            return Found(path: blob(manifest.layer), sha256: String(manifest.layer.dropFirst(7)))
        } catch {
            throw failure(.protocolViolation, error.message)
        }
    }

    /// Reads what the tag names: a manifest, or an index of several.
    func manifest() throws(DeliveryError) -> [UInt8] {
        let (_, entries) = try index()
        let named = entries.last { $0["annotations"]?[Self.refName]?.string == tag }
        // Programs that copy one artifact needn't give it a tag.
        let only = entries.count == 1 && tag == Self.defaultTag ? entries.first : nil
        guard let entry = named ?? only.flatMap({ $0["annotations"]?[Self.refName] == nil ? $0 : nil }) else {
            let tags = entries.compactMap { $0["annotations"]?[Self.refName]?.string }.prefix(10)
            let others = tags.isEmpty ? "" : "; it has \(tags.map { PrintableText.quoted($0) }.joined(separator: ", "))"
            throw failure(.status(404), "the folder has no artifact with this tag\(others)")
        }
        guard let digest = entry["digest"]?.string, RegistryReference.isDigest(digest) else {
            throw failure(.protocolViolation, "the folder's index has no SHA-256 for this tag")
        }
        return try manifest(digest)
    }

    /// Reads a manifest or a configuration, and compares it with its digest.
    func manifest(_ digest: String) throws(DeliveryError) -> [UInt8] {
        let bytes = try contents(of: blob(digest), RegistryManifest.byteLimit)
        guard RegistryManifest.digest(bytes) == digest else {
            throw failure(.digest, "the manifest in the folder has another digest than its name says")
        }
        return bytes
    }

    /// Reads the index.
    private func index() throws(DeliveryError) -> (JSONValue, [JSONValue]) {
        let bytes = try contents(of: folder + "/index.json", Self.indexLimit)
        let json: JSONValue
        do throws(JSONValue.SyntaxError) {
            json = try JSONValue(parsing: bytes)
        } catch {
            throw failure(.protocolViolation, "'index.json' in the folder is not JSON")
        }
        guard let entries = json["manifests"]?.array else {
            throw failure(.protocolViolation, "'index.json' in the folder lists no manifests")
        }
        return (json, entries)
    }

    // MARK: Writing

    /// Puts a package into the folder, which is made if it doesn't exist; other tags stay.
    ///
    /// - Parameter package: The package.
    /// - Returns: What was put there.
    /// - Throws: ``DeliveryError``; the tag is then unchanged.
    public func put(_ package: RegistryPush.Package) throws(DeliveryError) -> RegistryPush.Pushed {
        let name = folder.split(separator: "/").last.map(String.init) ?? "package"
        return try change {
            let (layer, size, sent) = try copy(package.path)
            var manifest = RegistryManifest(layer: layer, size: size)
            manifest.contents = package.contents
            manifest.created = package.created
            manifest.title = (package.name ?? name) + ".zip"
            try write(RegistryManifest.emptyConfig)
            let entry = try tagged(manifest.bytes, ("artifactType", .string(RegistryManifest.artifactType)))
            var entries = [entry]
            let referrer = try RegistryPush.referrer(of: manifest, package)
            if let referrer {
                try write(referrer.bundle)
                try write(referrer.manifest)
                entries.append(referrer.descriptor)
            }
            let digest = RegistryManifest.digest(manifest.bytes)
            return (
                entries, RegistryPush.Pushed(manifest: digest, size: size, sent: sent, attestation: referrer?.digest)
            )
        }
    }

    /// Puts something into the folder, which is made if it doesn't exist, and then lets the tag name it.
    ///
    /// - Parameter make: Writes the blobs, and returns the entries of the index, that of the tag first, and the result.
    /// - Returns: The result.
    /// - Throws: ``DeliveryError``; the tag is then unchanged.
    func change<Result>(_ make: () throws -> (entries: [JSONValue], result: Result)) throws(DeliveryError) -> Result {
        do {
            try FolderTree<FileError>.make(folder)
            try requireLayout()
            for name in ["/blobs", "/blobs/sha256"] {
                try requireNoLink(folder + name)
                try FolderTree<FileError>.make(folder + name)
            }
            // One writer at a time, since the index is read, changed and replaced.
            let lock = try FileLock(folder: folder)
            guard lock.take(waiting: true) == .held else { throw FileError.system("cannot lock the folder", folder) }
            defer { lock.release() }
            for name in ["", "/blobs/sha256"] { TemporaryName.removeLeftovers(in: folder + name) }
            var entries: [JSONValue] = []
            if access(folder + "/index.json", F_OK) == 0 { entries = try index().1 }
            let (new, result) = try make()
            let digests = Set(new.dropFirst().compactMap { $0["digest"]?.string })
            entries.removeAll {
                $0["annotations"]?[Self.refName]?.string == tag || $0["digest"]?.string.map(digests.contains) == true
            }
            // What was attested about a manifest goes with it.
            let named = Set((entries + new).compactMap { $0["digest"]?.string })
            entries.removeAll { subject(of: $0).map { !named.contains($0) } ?? false }
            let index = JSONValue.object([
                ("schemaVersion", .number("2")), ("mediaType", .string("application/vnd.oci.image.index.v1+json")),
                ("manifests", .array(entries + new)),
            ])
            let version = Array("{\"imageLayoutVersion\":\"1.0.0\"}".utf8)
            try Durable.write(version, to: folder + "/oci-layout", mode: 0o644, replacing: true)
            try Durable.write(Array(index.serialized.utf8), to: folder + "/index.json", mode: 0o644, replacing: true)
            return result
        } catch let error as DeliveryError {
            throw error
        } catch let error as FileError {
            throw DeliveryError(.inputOutput, subject: folder, message: error.message)
        } catch let error as ZipError {
            guard error.code != .cancelled else { throw failure(.cancelled, error.message) }
            throw DeliveryError(.inputOutput, subject: folder, message: error.message)
        } catch {
            throw DeliveryError(.inputOutput, subject: folder, message: "\(error)")
        }
    }

    /// Returns the digest of the manifest about which an entry of the index is an attestation; nil for all other entries.
    private func subject(of entry: JSONValue) -> String? {
        guard entry["artifactType"]?.string == PackageAttestation.bundleType, let digest = entry["digest"]?.string,
            RegistryReference.isDigest(digest),
            let bytes = try? contents(of: blob(digest), RegistryManifest.byteLimit),
            let manifest = try? JSONValue(parsing: bytes)
        else { return nil }
        return manifest["subject"]?["digest"]?.string
    }

    /// Writes a manifest, and returns the entry of the index by which the tag names it.
    ///
    /// - Parameters:
    ///   - manifest: The bytes of the manifest.
    ///   - member: What the entry says of it besides.
    /// - Returns: The entry.
    /// - Throws: `FileError` if it can't be written.
    func tagged(_ manifest: [UInt8], _ member: (String, JSONValue)) throws(FileError) -> JSONValue {
        try write(manifest)
        return .object([
            ("mediaType", .string(RegistryManifest.mediaType)), ("digest", .string(RegistryManifest.digest(manifest))),
            ("size", .number(String(manifest.count))), member,
            ("annotations", .object([(Self.refName, .string(tag))])),
        ])
    }

    /// Writes a small blob.
    func write(_ bytes: [UInt8]) throws(FileError) {
        try Durable.write(bytes, to: blob(RegistryManifest.digest(bytes)), mode: 0o644, replacing: true)
    }

    /// The folder of the blobs.
    var blobs: String { folder + "/blobs/sha256" }

    /// Refuses a folder that has files and isn't a layout.
    private func requireLayout() throws(FileError) {
        guard access(folder + "/oci-layout", F_OK) != 0, access(folder + "/index.json", F_OK) != 0 else { return }
        let others = (FolderListing.names(in: folder) ?? []).filter { $0 != "blobs" && !$0.contains(".afcache-tmp-") }
        guard others.isEmpty else {
            throw FileError(
                folder,
                "the folder has other files, such as \(PrintableText.quoted(others.sorted()[0])); name a new or empty one",
                .misplaced
            )
        }
    }

    /// Refuses a link in a folder that another program may have made: what is written would go elsewhere.
    private func requireNoLink(_ path: String) throws(FileError) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return }
        throw FileError(path, "this must be a folder, and it is a link; remove it", .misplaced)
    }

    /// Copies the zip to its place in the folder.
    private func copy(_ path: String) throws(FileError) -> (layer: String, size: Int64, sent: Int64) {
        let source = try OpenFile(reading: path)
        let size = try source.size()
        let blob = try BlobWriter(in: blobs)
        try blob.append(source, size)
        return (try blob.finish(), size, size)
    }

    /// The path of a blob.
    func blob(_ digest: String) -> String { folder + "/blobs/sha256/" + digest.dropFirst("sha256:".count) }

    private func contents(of path: String, _ limit: Int) throws(DeliveryError) -> [UInt8] {
        do throws(FileError) {
            return try OpenFile(reading: path).contents(upTo: limit)
        } catch {
            throw DeliveryError(.inputOutput, subject: path, message: error.message)
        }
    }

    func failure(_ code: DeliveryErrorCode, _ message: String) -> DeliveryError {
        DeliveryError(code, subject: description, message: message)
    }
}
