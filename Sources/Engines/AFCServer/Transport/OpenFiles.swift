import AFCPlatform

/// How many files the system lets this process open.
enum OpenFiles {
    /// Raises the soft limit as far as the process may, and says how many connections fit.
    ///
    /// - Parameter asked: How many are wanted.
    /// - Returns: How many there may be; a quarter of the descriptors is left for everything else.
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
