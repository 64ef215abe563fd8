/// The limit on the files, connections among them, that this process may have open at a time.
package enum OpenFileLimit {
    #if canImport(Glibc)
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let resource = RLIMIT_NOFILE
    #endif

    /// The limit that applies now; 256, which every system allows, if it is unknown.
    package static var current: Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 256 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises the limit as far as the system allows.
    ///
    /// - Parameter wanted: The limit that suffices; a higher one stays.
    package static func raise(to wanted: Int) {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(wanted) else { return }
        limit.rlim_cur = min(rlim_t(wanted), limit.rlim_max)
        // The old limit still applies if it can't be raised.
        _ = setrlimit(resource, &limit)
    }
}
