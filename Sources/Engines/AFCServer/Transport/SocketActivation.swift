import AFCPlatform

/// Sockets that systemd opened before it started this process (sd_listen_fds(3)).
public enum SocketActivation {
    /// The first one; those of standard input, output and error come before.
    private static let first: Int32 = 3

    /// The sockets that are meant for this process.
    ///
    /// - Parameters:
    ///   - variables: The environment.
    ///   - process: The number of this process.
    /// - Returns: The sockets; none where the process was started otherwise.
    public static func sockets(_ variables: [String: String], process: Int32) -> [Int32] {
        guard variables["LISTEN_PID"] == String(process), let count = variables["LISTEN_FDS"].flatMap({ Int32($0) }),
            (1...64).contains(count)
        else { return [] }
        return Array(first..<first + count)
    }

    /// Takes the sockets with which this process was started, and keeps them from programs that it starts itself.
    ///
    /// - Returns: The sockets; none where it was started otherwise, or they were taken already.
    public static func inherit() -> [Int32] {
        var variables: [String: String] = [:]
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] {
            variables[name] = getenv(name).map { String(cString: $0) }
        }
        let sockets = sockets(variables, process: getpid())
        for socket in sockets { _ = fcntl(socket, F_SETFD, FD_CLOEXEC) }
        for name in variables.keys { unsetenv(name) }
        return sockets
    }
}
