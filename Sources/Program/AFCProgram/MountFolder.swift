import AFCPlatform

/// The folder for what was read of mounted packages.
enum MountFolder {
    /// Returns the folder, or nil if nothing is kept.
    ///
    /// - Parameter option: The value of `--mount-cache`; without it, a folder in that of the user's caches (XDG Base
    ///   Directory Specification).
    /// - Returns: The folder.
    static func named(_ option: String?) -> String? {
        if let option { return option.isEmpty || option == "none" ? nil : option }
        return caches.map { $0 + "/mounts" }
    }

    /// The program's folder in that of the user's caches; nil if the user has none.
    static var caches: String? {
        if let folder = value("XDG_CACHE_HOME"), folder.hasPrefix("/") { return folder + "/afcache" }
        return value("HOME").map { $0 + "/.cache/afcache" }
    }

    private static func value(_ variable: String) -> String? {
        getenv(variable).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
