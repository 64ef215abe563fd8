import AFCCache
import AFCCaching
import AFCHTTP
import AFCText
import ArgumentParser

/// The options for how a stored response is chosen and read, for one URL or by the server.
struct AnswerOptions: ParsableArguments {
    @Option(
        help: """
            What to do with an expired response when offline: 'serve' it, marked as stale, unless its origin forbids \
            that; 'refuse' it, as a server with status 504; or 'always' serve it.
            """
    )
    var expired: OfflinePolicy.Expired = .serve

    @Option(
        help: """
            How to answer if nothing is stored for a URL and no origin can be asked: not at all ('exact'), with a \
            packaged URL whose query has the same meaning on a static site ('query'), or also as the packages' own \
            rules allow ('loose'). With the last two, a navigation may also get a redirect to a page that differs in a \
            slash, or a package's page for missing URLs.
            """
    )
    var match: QueryMatching = .query

    @Flag(
        help: """
            Compare each body with its SHA-256 while reading it, so that a damaged body never looks complete. Costs \
            processor time, and a range request reads the whole body.
            """
    )
    var verify = false
}

/// The option for another time than the current one.
struct TimeOption: ParsableArguments {
    @Option(help: "Judge dates and freshness as at this time, for example 2027-01-01. (default: now)")
    var at: String?

    /// Returns the time.
    func time() throws -> Timestamp { try at.map { try Clock.parse($0) } ?? Clock.now }
}

/// The option for the port of a server.
struct PortOption: ParsableArguments {
    @Option(
        help:
            "The port to listen on; 0 picks a free one. (default: 8080; 'open', and 'record' without '--listen', take a free one)"
    )
    var port: UInt16?

    /// Throws a usage error if the value of '--listen' has a port, which this option takes.
    static func requireNone(in address: String) throws {
        if let port = UInt16(address) {
            throw ValidationError("'\(port)' is no address; for a port, write '--port \(port)'")
        }
        // An IPv6 address has more than one colon.
        let parts = address.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let port = UInt16(parts[1]) else { return }
        let host = parts[0].isEmpty ? "0.0.0.0" : String(parts[0])
        throw ValidationError(
            "'--listen' takes no port; write '--listen \(PrintableText.escaped(host)) --port \(port)'"
        )
    }
}
