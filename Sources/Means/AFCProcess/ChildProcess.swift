package import AFCFiles
internal import AFCPlatform
internal import AFCText

/// The start of other programs.
package enum ChildProcess {
    /// Starts a program, whose signals are handled as in a new session: none is blocked or ignored.
    ///
    /// - Parameters:
    ///   - words: The program's path, or its name in PATH, and its arguments.
    ///   - environment: The variables, each as `NAME=VALUE`.
    ///   - control: A descriptor above 4 that the program gets as its descriptors 3 and 4, without any other stream and
    ///     in a process group of its own; nil for a program that shares this process's streams and group.
    ///   - streams: The descriptors that the program gets as its standard input and output; nil for this process's own.
    /// - Returns: The process.
    /// - Throws: ``FileError`` if it can't be started.
    package static func start(
        _ words: [String],
        environment: [String],
        control: Int32? = nil,
        streams: (input: Int32, output: Int32)? = nil
    ) throws(FileError) -> Int32 {
        #if canImport(Darwin)
        var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?)
        #else
        var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGTERM, SIGPIPE, SIGHUP] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        if let streams {
            posix_spawn_file_actions_adddup2(&actions, streams.input, STDIN_FILENO)
            posix_spawn_file_actions_adddup2(&actions, streams.output, STDOUT_FILENO)
        }
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

    /// Runs a program to its end, and kills it if it takes too long or prints too much.
    ///
    /// It blocks the thread.
    ///
    /// - Parameters:
    ///   - words: The program's path, or its name in PATH, and its arguments.
    ///   - environment: The variables, each as `NAME=VALUE`.
    ///   - input: What the program reads, up to 4 KiB.
    ///   - limit: The number of bytes that the program may print.
    ///   - seconds: The time that it may take.
    /// - Returns: Its exit status, and what it printed.
    /// - Throws: ``FileError`` if it can't be started, or was killed.
    package static func output(
        of words: [String],
        environment: [String],
        input: [UInt8],
        limit: Int,
        within seconds: Double
    ) throws(FileError) -> (status: Int32, output: [UInt8]) {
        precondition(input.count <= 4096, "a pipe takes 4 KiB without a reader")
        let (theirInput, ourInput) = try pipe()
        var (ourOutput, theirOutput): (Int32, Int32)
        do throws(FileError) {
            (ourOutput, theirOutput) = try pipe()
        } catch {
            close(theirInput)
            close(ourInput)
            throw error
        }
        defer { close(ourOutput) }
        // The pipe keeps the input, so that a program may end without reading it.
        _ = input.span.bytes.withUnsafeBytes { write(ourInput, $0.baseAddress, $0.count) }
        close(ourInput)
        defer { close(theirInput) }
        let pid: Int32
        do {
            // The end of the output is noticed only once nobody else can write.
            defer { close(theirOutput) }
            pid = try start(words, environment: environment, streams: (theirInput, theirOutput))
        }
        let end = ContinuousClock.now + .seconds(seconds)
        var output: [UInt8] = []
        var problem: String?
        while problem == nil {
            var waiting = pollfd(fd: ourOutput, events: Int16(POLLIN), revents: 0)
            let left = (end - .now) / .milliseconds(1)
            guard left > 0 else {
                problem = "it took longer than \(Int(seconds)) seconds"
                break
            }
            guard poll(&waiting, 1, Int32(min(left + 1, 1000))) > 0 else { continue }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(ourOutput, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            output += buffer.prefix(count)
            if output.count > limit { problem = "it printed more than \(limit) bytes" }
        }
        // After its output it may still be running, or have closed it early.
        var status: Int32 = 0
        while problem == nil, waitpid(pid, &status, WNOHANG) == 0 {
            if ContinuousClock.now > end { problem = "it took longer than \(Int(seconds)) seconds" }
            usleep(2_000)
        }
        if let problem {
            kill(pid, SIGKILL)
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            throw FileError(words[0], "\(PrintableText.quoted(words[0])) was stopped: \(problem)")
        }
        let signal = status & 0x7F
        return (signal == 0 ? (status >> 8) & 0xFF : 128 + signal, output)
    }

    /// Returns a pipe's reading and writing end, which other programs don't get.
    private static func pipe() throws(FileError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard AFCPlatform.pipe(&ends) == 0 else { throw .system("cannot make", "a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
