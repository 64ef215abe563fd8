internal import AFCPackageFormat
internal import AFCText
internal import AFCZip
internal import Crypto

/// A member of the package that is produced line by line, and its digest for the signature.
final class PackageText {
    private let name: String
    private let spool: TextSpool
    private var hash: SHA256?
    private var size: Int64 = 0
    /// The member's size and SHA-256 once it is complete, if a signature needs them.
    private(set) var digest: PackageDigest.Member?

    init(_ name: String, in folder: String, level: Int32, isHashed: Bool) {
        self.name = name
        spool = TextSpool(in: folder, level: level)
        hash = isHashed ? SHA256() : nil
    }

    func append(_ line: [UInt8], path: String) throws(PackageError) {
        size += Int64(line.count)
        hash?.update(data: line)
        do throws(ZipError) {
            try spool.append(line)
        } catch {
            throw PackageError(error, subject: path)
        }
    }

    /// Ends the text and returns the member.
    func member(path: String) throws(PackageError) -> NewMember {
        if let hash {
            let sha256 = Hexadecimal.text(hash.finalize())
            digest = PackageDigest.Member(name: name, size: size, sha256: sha256)
        }
        do throws(ZipError) {
            return NewMember(name: name, content: try spool.finish(), isCompressible: true)
        } catch {
            throw PackageError(error, subject: path)
        }
    }
}
