import AFCPlatform

/// The start of other programs.
package enum ChildProcess {
    /// Starts a program, whose signals are handled as in a new session: none is blocked or ignored.
    ///
    /// - Parameters:
    ///   - words: The program's path, or its name in PATH, and its arguments.
    ///   - environment: The variables, each as `NAME=VALUE`.
    ///   - control: A descriptor above 4 that the program gets as its descriptors 3 and 4, without any other stream and
    ///     in a process group of its own; nil for a program that shares this process's streams and group.
    /// - Returns: The process.
    /// - Throws: ``FileError`` if it can't be started.
    package static func start(
        _ words: [String],
        environment: [String],
        control: Int32? = nil
    ) throws(FileError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGTERM, SIGPIPE, SIGHUP] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        if let control {
            for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
                posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
            }
            for descriptor: Int32 in [3, 4] { posix_spawn_file_actions_adddup2(&actions, control, descriptor) }
            posix_spawnattr_setpgroup(&attributes, 0)
            flags |= POSIX_SPAWN_SETPGROUP
        }
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var arguments = words.map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var started: pid_t = 0
        let failure = posix_spawnp(&started, words[0], &actions, &attributes, &arguments, &variables)
        guard failure == 0 else { throw .system("cannot run", words[0], number: failure) }
        return started
    }
}
