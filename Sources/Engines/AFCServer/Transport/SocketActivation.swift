import AFCPlatform

/// Sockets that systemd opened before it started this process (sd_listen_fds(3)).
public enum SocketActivation {
    /// The number of the first socket, after standard input, output and error.
    private static let first: Int32 = 3

    /// Returns the sockets that are meant for this process.
    ///
    /// - Parameters:
    ///   - variables: The environment.
    ///   - process: The id of this process.
    /// - Returns: The sockets; none if the process was started in another way.
    public static func sockets(_ variables: [String: String], process: Int32) -> [Int32] {
        guard variables["LISTEN_PID"] == String(process), let count = variables["LISTEN_FDS"].flatMap({ Int32($0) }),
            (1...64).contains(count)
        else { return [] }
        return Array(first..<first + count)
    }

    /// Takes over the sockets with which this process was started, and hides them from programs that it starts itself.
    ///
    /// - Returns: The sockets; none if it was started in another way, or they were taken over already.
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
