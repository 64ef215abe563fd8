import Foundation

/// A user without privileges: what only root may do shows where a program is run as this one.
public enum OrdinaryUser {
    /// The user and the group `nobody`, which own nothing.
    public static let id: UInt32 = 65534

    /// Whether the tests have more rights than most users.
    public static var isNeeded: Bool { geteuid() == 0 }

    /// The words that make a command one of an ordinary user's; none where the tests run as one.
    public static var prefix: [String] {
        guard isNeeded else { return [] }
        return ["setpriv", "--reuid=\(id)", "--regid=\(id)", "--clear-groups", "--no-new-privs", "--bounding-set=-all"]
    }

    /// Makes a folder and all below it the user's own; nothing changes where the tests run as an ordinary user.
    ///
    /// - Parameter path: The folder.
    /// - Throws: Where it can't be changed.
    public static func give(_ path: String) throws {
        guard isNeeded else { return }
        let below = try FileManager.default.subpathsOfDirectory(atPath: path).map { path + "/" + $0 }
        for entry in [path] + below where lchown(entry, id, id) != 0 {
            throw Program.NotRun(name: "chown \(entry)", number: errno)
        }
    }

    /// The built program at a path that the user may run: a copy where the folders above the original keep others out.
    ///
    /// - Parameter scratch: Where a copy goes.
    /// - Returns: The path.
    /// - Throws: Where it can't be copied.
    public static func program(in scratch: Scratch) throws -> String {
        let built = Program.afcache
        guard let first = prefix.first else { return built }
        let test = try Program.run(first, prefix.dropFirst() + ["test", "-x", built])
        guard test.status != 0 else { return built }
        let copy = scratch.path("afcache")
        try FileManager.default.copyItem(atPath: built, toPath: copy)
        return copy
    }
}
