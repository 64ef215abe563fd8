internal import Crypto
internal import Dispatch
internal import PackageFile
internal import PackageFormat
internal import Synchronization
internal import ZipArchive

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Extracts a package's bodies into a folder, each checked against size, checksum and, where there is one, digest.
final class Extraction: Sendable {
    private struct State {
        var next = 0
        var error: CacheError?
        var digests: [String?]
        var folders: Set<String> = []
    }

    private let package: PackageReader
    private let resources: [PackageIndex.Resource]
    private let folder: String
    private let state: Mutex<State>

    private init(package: PackageReader, folder: String) {
        self.package = package
        self.folder = folder
        resources = package.index.resources
        state = Mutex(State(digests: [String?](repeating: nil, count: package.index.resources.count)))
    }

    /// Extracts all bodies.
    ///
    /// - Parameters:
    ///   - package: The package, checked to be loadable.
    ///   - folder: An empty folder.
    ///   - workers: How many threads.
    /// - Returns: The SHA-256 of each resource's body, nil for redirects.
    /// - Throws: ``CacheError`` with the first body that can't be extracted; the folder is then incomplete.
    static func run(_ package: PackageReader, into folder: String, workers: Int) throws(CacheError) -> [String?] {
        let extraction = Extraction(package: package, folder: folder)
        DispatchQueue.concurrentPerform(iterations: max(1, workers)) { _ in extraction.work() }
        let (error, digests) = extraction.state.withLock { ($0.error, $0.digests) }
        if let error { throw error }
        return digests
    }

    private func work() {
        // Runs of neighbours, so that the lock is taken seldom and one thread stays in one folder.
        let batch = 16
        while true {
            let start: Int? = state.withLock { state in
                guard state.error == nil, state.next < resources.count else { return nil }
                defer { state.next += batch }
                return state.next
            }
            guard let start else { return }
            for index in start..<min(start + batch, resources.count) {
                do throws(CacheError) {
                    let digest = try extract(resources[index])
                    state.withLock { $0.digests[index] = digest }
                } catch {
                    state.withLock { $0.error = $0.error ?? error }
                    return
                }
            }
        }
    }

    private func extract(_ resource: PackageIndex.Resource) throws(CacheError) -> String? {
        guard let index = resource.member else { return nil }
        let member = package.archive.members[index]
        let path = folder + "/" + member.name
        try makeFolder(above: path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .system("cannot make", path: path) }
        defer { close(descriptor) }
        var hash = SHA256()
        var failure: CacheError?
        do throws(ZipError) {
            try package.archive.forEachChunk(of: member) { chunk throws(ZipError) in
                hash.update(bufferPointer: chunk)
                var done = 0
                while done < chunk.count {
                    let count = write(descriptor, chunk.baseAddress?.advanced(by: done), chunk.count - done)
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else {
                        failure = .system("cannot write", path: path)
                        throw ZipError(.inputOutput, rule: "io", message: "cannot write")
                    }
                    done += count
                }
            }
        } catch {
            throw failure ?? CacheError(PackageError(error, subject: package.path))
        }
        let digest = Self.hexadecimal(hash.finalize())
        if let expected = resource.record?.sha256, expected != digest {
            throw CacheError(
                .package(.invalidPackage(rule: "sidecar.digest")),
                subject: package.path,
                message:
                    "member \(PackageProblem.quoted(member.name)) has another SHA-256 than its record; make the package anew"
            )
        }
        return digest
    }

    private func makeFolder(above path: String) throws(CacheError) {
        guard let slash = path.lastIndex(of: "/") else { return }
        let folder = String(path[..<slash])
        guard !state.withLock({ $0.folders.contains(folder) }) else { return }
        try Folders.make(folder)
        state.withLock { _ = $0.folders.insert(folder) }
    }

    private static func hexadecimal(_ digest: SHA256.Digest) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in digest {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
