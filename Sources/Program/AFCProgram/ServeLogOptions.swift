public import AFCServer
internal import AFCText
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

    @Option(
        help: ArgumentHelp(
            """
            When the server ends, write the URLs of packaged hosts that were requested and not stored to this file, for \
            'afcache pack --add-missing'. Queries are left out. '-' is standard output.
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var missing: String?

    @Flag(
        help: """
            Send Server-Timing with each response: if it was in the cache, and how long the origin and the response took. \
            Pages and developer tools can read it. Each response is then looked up, so that the server is slower.
            """
    )
    var serverTiming = false

    /// True if the access log goes to standard output.
    var isOnOutput: Bool { accessLog == "-" }

    /// Opens the access log, if one is wanted.
    func openAccessLog() throws -> AccessLog? {
        guard let accessLog else { return nil }
        if !isOnOutput { try WholeFile.requireNoPackage(accessLog) }
        let name = PrintableText.quoted(accessLog)
        return try AccessLog(path: accessLog == "-" ? nil : accessLog, format: logFormat) { reason in
            Console.complain("warning: the access log \(name) lost lines: \(reason)")
        }
    }

    /// The most URLs that are named on standard error.
    private static let shownMissing = 20
    private static let shownStopped = 20

    /// Checks that the list of missing URLs can be written.
    func requireWritable() throws {
        if let missing, missing != "-" { try WholeFile.requireWritable(missing) }
    }

    /// Says which requests of pages to hosts outside the packages were stopped.
    static func report(_ stopped: StoppedRequests) {
        let (entries, total) = stopped.result
        guard total > 0 else { return }
        Console.note(
            "note: \(Quantity.count(total, "request")) of pages to hosts outside the packages "
                + "\(total == 1 ? "was" : "were") stopped:"
        )
        for entry in entries.prefix(shownStopped) {
            Console.note("  \(Quantity.count(entry.count, "request")) for \(entry.shown)")
        }
        let rest = entries.count - shownStopped
        if rest > 0 { Console.note("  and \(Quantity.count(rest, "other URL"))") }
    }

    /// Says which URLs were requested and not stored, and writes the list.
    func report(_ missing: MissingURLs) throws {
        let (entries, others) = missing.result
        if !entries.isEmpty {
            let hint = self.missing == nil ? "; '--missing' writes them to a file for 'afcache pack --add-missing'" : ""
            Console.note(
                "note: \(Quantity.count(entries.count, "URL")) of packaged hosts \(entries.count == 1 ? "was" : "were") "
                    + "requested and not stored\(hint):"
            )
            for entry in entries.prefix(Self.shownMissing) {
                Console.note("  \(Quantity.count(entry.count, "request")) for \(entry.shown) (\(entry.kind.rawValue))")
            }
            let rest = entries.count - Self.shownMissing
            if rest > 0 { Console.note("  and \(Quantity.count(rest, "other URL"))") }
            if others > 0 { Console.note("  and \(Quantity.count(others, "request")) for URLs beyond the limit") }
        }
        guard let path = self.missing else { return }
        if path == "-" {
            Console.write(missing.text.utf8)
            Console.flush()
        } else {
            try WholeFile.write(Array(missing.text.utf8), to: path)
        }
    }

    /// Returns the function to call for each response, or nil if nothing is logged.
    func onAnswer(_ accessLog: AccessLog?) -> (@Sendable (AccessRecord) -> Void)? {
        let log = Console.level == .verbose
        guard log || accessLog != nil else { return nil }
        return { record in
            accessLog?.write(record)
            if log { Console.complain(record.description) }
        }
    }
}

extension AccessLogFormat: ExpressibleByArgument {}
