/// The signals that ask a program to stop.
public enum StopSignal {
    /// The time after a signal within which further ones count as the same one.
    ///
    /// Supervisors such as timeout(1) signal the program and then its group, and a terminal that closes signals more than
    /// once. A person who insists takes longer.
    public static let sameSeconds = 1

    /// True if the user wants the program to survive its terminal, as with nohup(1).
    public static var isHangupIgnored: Bool {
        var action = sigaction()
        guard sigaction(SIGHUP, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
        let handler = action.__sigaction_u.__sa_handler
        #else
        let handler = action.__sigaction_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
