import AFCPlatform
internal import AFCText

/// The number of files that the system lets this process open.
///
/// A server that has reached it can't accept, answer or even log, and some system libraries then end the process. So it
/// takes only as many connections as can't reach it.
enum OpenFiles {
    /// The files that a connection may need: its socket, that of an origin, and the file of a body.
    private static let perConnection = 3
    /// The files left for everything else, such as the cache's databases, logs and system libraries.
    private static let reserve = 32
    /// The fewest connections with which a server is of use: a browser alone opens six.
    private static let leastConnections = 8

    /// Raises the soft limit as far as allowed, and returns the number of connections that fit.
    ///
    /// - Parameters:
    ///   - asked: The number of connections wanted.
    ///   - listening: The number of listening sockets that will be opened besides the first.
    /// - Returns: The number allowed.
    /// - Throws: ``ServerError`` if the process may open too few files.
    static func connectionLimit(asked: Int, listening: Int = 0) throws(ServerError) -> Int {
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return min(asked, 256) }
        let others = openCount(below: Int(clamping: limit.rlim_cur)) + reserve + listening
        let wanted = rlim_t(asked * perConnection + others)
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = min(wanted, limit.rlim_max)
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return try connectionLimit(asked: asked, files: Int(clamping: limit.rlim_cur), others: others)
    }

    /// Returns the number of connections that fit.
    ///
    /// - Parameters:
    ///   - asked: The number of connections wanted.
    ///   - files: The number of files that the process may open.
    ///   - others: The number of those that connections can't use.
    /// - Returns: The number allowed.
    /// - Throws: ``ServerError`` if there are too few files.
    static func connectionLimit(asked: Int, files: Int, others: Int) throws(ServerError) -> Int {
        let fitting = (files - others) / perConnection
        guard fitting >= min(asked, leastConnections) else {
            let needed = others + perConnection * leastConnections
            let message = "a server needs at least \(needed)"
            throw ServerError(.tooFewFiles, subject: "\(files)", message: message, remedy: .raiseOpenFiles)
        }
        return min(asked, fitting)
    }

    private static func openCount(below limit: Int) -> Int {
        (0..<min(limit, 65_536)).count { fcntl(Int32($0), F_GETFD) != -1 }
    }
}

extension Server {
    /// Checks that this process may open enough files to serve, before it opens any.
    ///
    /// - Throws: ``ServerError`` if it may not.
    package static func requireOpenFiles() throws(ServerError) {
        _ = try OpenFiles.connectionLimit(asked: Configuration.defaultConnectionLimit)
    }
}
