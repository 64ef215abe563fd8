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
        if let folder = value("XDG_CACHE_HOME"), folder.hasPrefix("/") { return folder + "/afcache/mounts" }
        return value("HOME").map { $0 + "/.cache/afcache/mounts" }
    }

    private static func value(_ variable: String) -> String? {
        getenv(variable).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
