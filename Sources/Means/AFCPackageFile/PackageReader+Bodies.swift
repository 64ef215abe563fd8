public import AFCPackageFormat
internal import AFCText
internal import AFCZip
internal import Crypto

extension PackageReader {
    /// Reads the body of a resource piece by piece, and checks it.
    ///
    /// - Parameters:
    ///   - resource: The resource; one without a body has no pieces.
    ///   - take: Called with each piece; the caller must discard the pieces if this function throws.
    /// - Throws: ``PackageError`` if the body is damaged or isn't what its record says, and any error that `take` throws.
    public func readBody(
        of resource: PackageIndex.Resource,
        _ take: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard let index = resource.member else { return }
        let member = archive.members[index]
        var hash = SHA256()
        var failure: (any Error)?
        do throws(ZipError) {
            try archive.forEachChunk(of: member) { chunk throws(ZipError) in
                hash.update(bufferPointer: chunk)
                do {
                    try take(chunk)
                } catch {
                    failure = error
                    throw ZipError(inputOutput: "cannot write")
                }
            }
        } catch {
            throw failure ?? PackageError(error, subject: path)
        }
        guard let sha256 = resource.record?.sha256, sha256 != Hexadecimal.text(Array(hash.finalize())) else { return }
        throw PackageError(
            .invalidPackage(rule: ProblemRule.sidecarDigest.id),
            subject: path,
            message:
                "member \(PrintableText.quoted(member.name)) has a different SHA-256 than its record",
            remedy: ProblemRule.sidecarDigest.remedy
        )
    }

    /// Returns the body of a resource, or the beginning of a longer one, which isn't checked.
    ///
    /// - Parameters:
    ///   - resource: The resource.
    ///   - limit: The most bytes.
    /// - Returns: The bytes.
    /// - Throws: ``PackageError`` if the body is damaged.
    package func beginning(of resource: PackageIndex.Resource, limit: Int) throws -> [UInt8] {
        struct Enough: Error {}
        var bytes: [UInt8] = []
        do {
            try readBody(of: resource) { chunk in
                bytes += chunk.prefix(limit - bytes.count)
                if bytes.count >= limit { throw Enough() }
            }
        } catch is Enough {}
        return bytes
    }
}
