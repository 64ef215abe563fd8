import AFCPlatform
internal import Synchronization

/// The temporary name of an archive that is being written: `.NAME.PID.afcache-tmp-NUMBER`, in the same folder.
///
/// The random number distinguishes several writes to one archive. A killed process leaves such a file, and one of
/// libzip's with six more letters. The next write to the same archive removes those whose process is gone.
package struct TemporaryName {
    package let path: String
    private let folder: String
    private let prefix: String
    private let name: String

    package init(for target: String) {
        folder = Durable.folder(of: target)
        let last = target.split(separator: "/").last.map(String.init) ?? target
        prefix = ".\(last)."
        name = "\(prefix)\(getpid()).afcache-tmp-\(UInt32.random(in: 0...UInt32.max))"
        path = "\(folder)/\(name)"
        let own = name
        Self.inUse.withLock { _ = $0.insert(own) }
    }

    /// The names that this process uses; a dead process may have had the same process ID.
    private static let inUse = Mutex<Set<String>>([])

    package func remove() {
        removeFiles { found, _ in found == name || found.hasPrefix(name + ".") }
        release()
    }

    /// Marks the name as no longer in use.
    package func release() { Self.inUse.withLock { _ = $0.remove(name) } }

    package func removeLeftovers() { removeFiles(where: Self.isLeftOver) }

    /// Removes what killed processes have left in a folder, whatever they were writing there.
    package static func removeLeftovers(in folder: String) {
        for name in FolderListing.names(in: folder) ?? [] where name.hasPrefix(".") {
            guard let mark = name.firstRange(of: ".afcache-tmp-"),
                let owner = name[..<mark.lowerBound].split(separator: ".").last.flatMap({ pid_t($0) }),
                isLeftOver(name, owner)
            else { continue }
            unlink("\(folder)/\(name)")
        }
    }

    private static func isLeftOver(_ name: String, _ owner: pid_t) -> Bool {
        guard owner != getpid() else { return !inUse.withLock { $0 }.contains { name.hasPrefix($0) } }
        return kill(owner, 0) != 0 && errno == ESRCH
    }

    private func removeFiles(where isRemoved: (String, pid_t) -> Bool) {
        var found: [String] = []
        for name in FolderListing.names(in: folder) ?? [] {
            // A draft is written under its own temporary name, which has one more dot.
            let own = name.hasPrefix("." + prefix) ? name.dropFirst() : name[...]
            guard own.hasPrefix(prefix) else { continue }
            let rest = own.dropFirst(prefix.count)
            guard let dot = rest.firstIndex(of: "."), rest[dot...].hasPrefix(".afcache-tmp"),
                let owner = pid_t(rest[..<dot]),
                isRemoved(name, owner)
            else { continue }
            found.append(name)
        }
        for name in found { unlink("\(folder)/\(name)") }
    }
}
