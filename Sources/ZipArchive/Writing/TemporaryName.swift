#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The name under which an archive is written before it takes its place: `.NAME.PID.afcache-tmp`, in the same folder.
///
/// A killed process leaves such a file, and one of libzip's with six more letters; the next write to the same archive
/// removes those whose process is gone.
struct TemporaryName {
    let path: String
    private let folder: String
    private let prefix: String

    init(for target: String) {
        folder = Durable.folder(of: target)
        let name = target.split(separator: "/").last.map(String.init) ?? target
        prefix = ".\(name)."
        path = "\(folder)/\(prefix)\(getpid()).afcache-tmp"
    }

    func remove() { removeFiles { $0 == getpid() } }

    func removeLeftovers() { removeFiles { $0 != getpid() && kill($0, 0) != 0 && errno == ESRCH } }

    private func removeFiles(where isRemoved: (pid_t) -> Bool) {
        guard let stream = opendir(folder) else { return }
        defer { closedir(stream) }
        var found: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.hasPrefix(prefix) else { continue }
            let rest = name.dropFirst(prefix.count)
            guard let dot = rest.firstIndex(of: "."), rest[dot...].hasPrefix(".afcache-tmp"),
                let owner = pid_t(rest[..<dot]),
                isRemoved(owner)
            else { continue }
            found.append(name)
        }
        for name in found { unlink("\(folder)/\(name)") }
    }
}
