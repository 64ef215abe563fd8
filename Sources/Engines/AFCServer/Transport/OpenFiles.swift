import AFCPlatform

/// The number of files that the system lets this process open.
enum OpenFiles {
    /// Raises the soft limit as far as allowed, and returns the number of connections that fit.
    ///
    /// - Parameter asked: The number of connections wanted.
    /// - Returns: The number allowed; a quarter of the descriptors is reserved for everything else.
    static func connectionLimit(asked: Int) -> Int {
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return min(asked, 256) }
        let wanted = rlim_t(asked) + rlim_t(asked) / 2 + 64
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = min(wanted, limit.rlim_max)
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return max(1, min(asked, Int(clamping: limit.rlim_cur) / 4 * 3))
    }
}
