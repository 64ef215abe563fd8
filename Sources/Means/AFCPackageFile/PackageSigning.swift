internal import AFCFiles
internal import AFCPackageFormat
internal import AFCText
internal import AFCZip
internal import Crypto

/// Collects the data for a package's signature while the package is written.
///
/// Bodies whose records have a digest aren't read again: a body that doesn't match its record keeps the package from
/// being loaded anyway.
struct PackageSigning {
    private let path: String
    private let options: PackageWriter.Options
    private var digests: DigestSpool

    init(path: String, options: PackageWriter.Options) throws(PackageError) {
        self.path = path
        self.options = options
        digests = DigestSpool(folder: OutputTarget.folder(for: path))
        guard options.writesSidecar else {
            throw PackageError(
                .unwritable,
                subject: path,
                message: "a signed package needs a sidecar, which contains its date; write the sidecar"
            )
        }
    }

    mutating func add(_ digest: PackageDigest.Member) throws(PackageError) {
        do throws(ZipError) {
            try digests.add(digest)
        } catch {
            throw PackageError(error, subject: path)
        }
    }

    mutating func add(_ member: NewMember, record: ResourceRecord?) throws(PackageError) {
        if let size = record?.size, let sha256 = record?.sha256 {
            try add(PackageDigest.Member(name: member.name, size: size, sha256: sha256))
        } else {
            try add(Self.digest(of: member, path: path))
        }
    }

    /// Returns the member with the signatures.
    mutating func member() throws(PackageError) -> NewMember {
        let digest: PackageDigest
        do throws(ZipError) {
            digest = try digests.digest()
        } catch {
            throw PackageError(error, subject: path)
        }
        var text: [UInt8] = []
        var signed: Set<PublicKey> = []
        for key in options.signers where signed.insert(key.publicKey).inserted {
            guard let signature = PackageSignature(digest, by: key, created: options.signed ?? options.created) else {
                throw PackageError(.inputOutput, subject: path, message: "the system has no random bytes for signing")
            }
            text.append(contentsOf: signature.line.utf8)
        }
        return NewMember(name: PackageLayout.signature, content: .bytes(text), isCompressible: true)
    }

    private static func digest(of member: NewMember, path: String) throws(PackageError) -> PackageDigest.Member {
        switch member.content {
        case .bytes(let bytes): return PackageDigest.Member(name: member.name, body: bytes)
        case .file(let file):
            do throws(ZipError) {
                let file = try onFile { () throws(FileError) in try OpenFile(reading: file) }
                return try digest(of: file, name: member.name)
            } catch {
                throw PackageError(error, subject: path)
            }
        case .deflated:
            throw PackageError(
                .unwritable,
                subject: path,
                message: "the record of member \(PrintableText.quoted(member.name)) has no SHA-256 to sign"
            )
        }
    }

    private static func digest(of file: OpenFile, name: String) throws(ZipError) -> PackageDigest.Member {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var hash = SHA256()
        var size: Int64 = 0
        while true {
            let count = try onFile { () throws(FileError) in try file.read(into: buffer, at: size) }
            guard count > 0 else { break }
            size += Int64(count)
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        return PackageDigest.Member(name: name, size: size, sha256: Hexadecimal.text(hash.finalize()))
    }
}
