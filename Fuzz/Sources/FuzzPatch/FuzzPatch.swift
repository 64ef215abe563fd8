import AFCDelta
import AFCFiles
import AFCPackageFile
import AFCPackageFormat
import AFCPlatform
import AFCText
import AFCZip

/// Opens any bytes as a patch, and the patch that the same bytes choose, and makes the new package of it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPatch(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    let archive = Bench.shared.path("patch.zip")
    Bench.shared.write(bytes, to: archive)
    tryPatch(archive)
    var chosen = ChosenPatch(bytes, old: Bench.shared.old)
    do throws(ZipError) {
        let output = try ZipOutput(to: archive)
        defer { output.abandon() }
        for member in chosen.archive() { try output.add(member) }
        _ = try output.finish()
    } catch {
        // A name that occurs twice, or that no archive may have.
        return 0
    }
    tryPatch(archive)
    return 0
}

/// The files of a fuzzer, in memory.
private final class Bench: Sendable {
    static let shared = Bench()

    /// The bodies of the old package.
    let old: [[UInt8]]
    let held: [BodyID: OpenFile]
    private let folder = "/dev/shm/afcache-fuzz-\(getpid())"

    private init() {
        precondition(mkdir(folder, 0o700) == 0, "cannot make '\(folder)'")
        old = [
            Array("<p>a page</p>".utf8), [], Array(repeating: 7, count: 3000),
            (0..<2000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) },
        ]
        var held: [BodyID: OpenFile] = [:]
        for (number, body) in old.enumerated() {
            let path = folder + "/\(number)"
            body.withUnsafeBytes { Self.write($0, to: path) }
            guard let sha256 = Hexadecimal.bytes(PackageDigest.Member(name: "", body: body).sha256),
                let id = BodyID(sha256), let file = try? OpenFile(reading: path)
            else { fatalError("cannot read '\(path)'") }
            held[id] = file
        }
        self.held = held
        atexit {
            for name in ["patch.zip", "new.zip"] { unlink(Bench.shared.path(name)) }
            for number in Bench.shared.old.indices { unlink(Bench.shared.path("\(number)")) }
            rmdir(Bench.shared.path(""))
        }
    }

    func path(_ name: String) -> String { folder + "/" + name }

    func write(_ bytes: UnsafeRawBufferPointer, to path: String) { Self.write(bytes, to: path) }

    private static func write(_ bytes: UnsafeRawBufferPointer, to path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        precondition(descriptor >= 0, "cannot make '\(path)'")
        let written = bytes.isEmpty ? 0 : AFCPlatform.write(descriptor, bytes.baseAddress, bytes.count)
        close(descriptor)
        precondition(written == bytes.count, "cannot write '\(path)'")
    }
}

extension Bench: BodySource {
    func body(_ id: BodyID) -> HeldBody? { held[id].map { .file($0) } }
}

/// Opens a patch and makes the package: what comes of it has the digest that the patch states, or there is an error.
private func tryPatch(_ path: String) {
    let target = Bench.shared.path("new.zip")
    do throws(PatchError) {
        let patch = try PatchReader(path: path)
        let size = try patch.rebuild(to: target, from: Bench.shared, workers: 1).size
        do throws(ZipError) {
            let package = try ZipReader(path: target)
            precondition((try? package.file.size()) == size, "the size is wrong")
            var members: [PackageDigest.Member] = []
            for member in package.members {
                members.append(
                    PackageDigest.Member(name: member.name, body: try package.read(member, maxBytes: 1 << 24))
                )
            }
            precondition(members.count == patch.count, "members are missing")
            precondition(PackageDigest(of: members).hexadecimal == patch.newDigest, "the package has another digest")
        } catch {
            // Loading refuses the package, too: it has a name that no archive may have.
            precondition(error.code == .refused, "the package can't be read: \(error)")
        }
        unlink(target)
        try tryLinks(patch, target)
    } catch {
        precondition(access(target, F_OK) != 0, "a package is left of a patch that failed")
        precondition(!error.message.isEmpty && error.message.unicodeScalars.count < 2000)
        for scalar in error.message.unicodeScalars {
            precondition(scalar.properties.generalCategory != .control, "a control character in '\(error.message)'")
        }
    }
}

/// Makes the package without the bodies that the cache has: it lists the same names and sizes, or no package can have
/// them.
private func tryLinks(_ patch: PatchReader, _ target: String) throws(PatchError) {
    let made = try patch.rebuild(to: target, from: Bench.shared, leavesOutKept: true, workers: 1)
    defer { unlink(target) }
    do throws(ZipError) {
        let package = try ZipReader(path: target)
        precondition(package.members.count == patch.count, "members are missing")
        for (index, member) in package.members.enumerated() where made.lacking.contains(index) {
            let isHeld = Bench.shared.old.contains { Int64($0.count) == member.uncompressedSize }
            precondition(isHeld, "a body is left out that isn't held")
        }
    } catch {
        precondition(error.code == .refused, "the package can't be read: \(error)")
    }
}
