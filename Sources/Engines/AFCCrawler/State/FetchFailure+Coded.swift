/// A failure as the crawl's state keeps it: its kind, and behind a bar what it holds.
extension FetchFailure {
    /// The failure as text.
    var coded: String {
        switch self {
        case .status(let status, let reason): "\(kind)|\(status)|\(reason)"
        case .connection(let text), .proxy(let text), .tls(let text), .coding(let text), .location(let text),
            .storage(let text), .redirectLoop(let text):
            "\(kind)|\(text)"
        case .tooLarge(let limit): "\(kind)|\(limit)"
        case .redirects(let limit): "\(kind)|\(limit)"
        case .unknownHost, .refused, .timeout, .privateAddress, .truncated, .expansion: kind
        }
    }

    /// The failure that a text says; a text of no known case is the message of a broken connection.
    init(coded text: String) {
        let parts = text.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count > 1 ? String(parts[1]) : ""
        switch parts[0] {
        case "status":
            let rest = value.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
            self = .status(Int(rest[0]) ?? 0, reason: rest.count > 1 ? String(rest[1]) : "")
        case "unknown-host": self = .unknownHost
        case "refused": self = .refused
        case "timeout": self = .timeout
        case "private-address": self = .privateAddress
        case "proxy": self = .proxy(value)
        case "tls": self = .tls(value)
        case "truncated": self = .truncated
        case "too-large": self = .tooLarge(limit: Int64(value) ?? 0)
        case "coding": self = .coding(value)
        case "expansion": self = .expansion
        case "redirects": self = .redirects(limit: Int(value) ?? 0)
        case "redirect-loop": self = .redirectLoop(value)
        case "location": self = .location(value)
        case "storage": self = .storage(value)
        default: self = .connection(value)
        }
    }
}
