public import AFCServer
public import ArgumentParser

/// The options with which `afcache serve` tells what it answers.
struct ServeLogOptions: ParsableArguments {
    @Option(help: "Write a line for each answer to this file, or to standard output for '-'.", completion: .file())
    var accessLog: String?

    @Option(help: "combined or json: how the lines of the access log look.")
    var logFormat: AccessLogFormat = .combined

    @Flag(help: "Write a line to standard error for each answer, as '--verbose' does.")
    var log = false

    /// Whether standard output is the log's.
    var isOnOutput: Bool { accessLog == "-" }

    /// The access log, where one is wanted.
    func openAccessLog() throws -> AccessLog? {
        guard let accessLog else { return nil }
        return try AccessLog(path: accessLog == "-" ? nil : accessLog, format: logFormat)
    }

    /// What is done for each answer.
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
