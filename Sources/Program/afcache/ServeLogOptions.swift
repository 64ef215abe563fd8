public import AFCServer
public import ArgumentParser

/// The options for the logs of `afcache serve`.
struct ServeLogOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Write a line for each response to this file; '-' is standard output.
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var accessLog: String?

    @Option(help: ArgumentHelp("The format of the access log.", valueName: "format"))
    var logFormat: AccessLogFormat = .combined

    @Flag(help: "Write a line for each response to standard error, as '--verbose' does.")
    var log = false

    /// True if the access log goes to standard output.
    var isOnOutput: Bool { accessLog == "-" }

    /// Opens the access log, if one is wanted.
    func openAccessLog() throws -> AccessLog? {
        guard let accessLog else { return nil }
        return try AccessLog(path: accessLog == "-" ? nil : accessLog, format: logFormat)
    }

    /// Returns the function to call for each response, or nil if nothing is logged.
    func onAnswer(_ accessLog: AccessLog?) -> (@Sendable (AccessRecord) -> Void)? {
        let log = log || Console.level == .verbose
        guard log || accessLog != nil else { return nil }
        return { record in
            accessLog?.write(record)
            if log { Console.complain(record.description) }
        }
    }
}

extension AccessLogFormat: ExpressibleByArgument {}
