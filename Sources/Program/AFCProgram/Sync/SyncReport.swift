import AFCCache
import AFCChannel
import AFCHTTP
import AFCPackageFormat
import AFCText

/// What a sync did, as JSON and as metrics.
struct SyncReport {
    /// The result for one package.
    struct Line {
        var name: String
        var action: String
        var error: String?
    }

    var lines: [Line] = []
    /// The last accepted channel; nil if there is none.
    var channel: Channel?
    /// The exit code of a channel that can't be read or is refused.
    var channelStatus: ExitStatus?
    var channelError: String?
    var status = ExitStatus.done
    /// The loaded packages afterwards.
    var packages: [InstalledPackage] = []

    /// True if a package failed.
    var hasFailed: Bool { lines.contains { $0.action == "failed" } }

    /// The packages that the channel lists.
    var listed: [String] { channel?.packages.map(\.name) ?? [] }

    /// The report as JSON.
    var document: JSONValue {
        var members: [(String, JSONValue)] = [
            ("changed", .bool(lines.contains { !["unchanged", "failed", "kept"].contains($0.action) })),
            ("packages", .array(lines.map(Self.json))),
        ]
        if channel != nil || channelStatus != nil {
            let state: [(String, JSONValue)] = [
                ("name", channel.map { .string($0.name) } ?? .null),
                ("version", channel.map { .number(String($0.version)) } ?? .null),
                ("expires", channel?.expires.map { .string($0.iso8601) } ?? .null),
                ("error", channelError.map { .string($0) } ?? .null),
            ]
            members.append(("channel", .object(state)))
        }
        return .object(members)
    }

    private static func json(_ line: Line) -> JSONValue {
        .object([
            ("name", .string(line.name)), ("action", .string(line.action)),
            ("error", line.error.map { .string($0) } ?? .null),
        ])
    }

    // MARK: Metrics

    private static let success = "afcache_sync_success_timestamp_seconds"

    /// Returns the metrics in Prometheus's text format (version 0.0.4).
    ///
    /// - Parameters:
    ///   - before: The metrics of the run before, which say when a run last succeeded.
    ///   - now: The current time.
    /// - Returns: The text.
    func metrics(before: String?, now: Timestamp) -> String {
        var text = ""
        func metric(_ name: String, _ help: String, _ samples: [(labels: String, value: Int64)]) {
            guard !samples.isEmpty else { return }
            text += "# HELP \(name) \(help)\n# TYPE \(name) gauge\n"
            for sample in samples { text += "\(name)\(sample.labels) \(sample.value)\n" }
        }
        let ended = now.secondsSinceEpoch
        metric("afcache_sync_exit_code", "Exit code of the last run.", [("", Int64(status.rawValue))])
        metric("afcache_sync_timestamp_seconds", "When the last run ended.", [("", ended)])
        let succeeded = status == .done ? ended : before.flatMap(Self.successTime)
        metric(Self.success, "When a run last ended with code 0.", succeeded.map { [("", $0)] } ?? [])
        let counts = Dictionary(grouping: lines, by: \.action).mapValues { Int64($0.count) }
        metric(
            "afcache_sync_packages",
            "Packages by what was done.",
            counts.sorted { $0.key < $1.key }.map { (Self.label("action", $0.key), $0.value) }
        )
        if let channel {
            let label = Self.label("channel", channel.name)
            metric("afcache_channel_version", "Last accepted version of the channel.", [(label, channel.version)])
            if let expires = channel.expires {
                metric(
                    "afcache_channel_expires_timestamp_seconds",
                    "When the channel expires.",
                    [(label, expires.secondsSinceEpoch)]
                )
            }
        }
        metric(
            "afcache_package_created_timestamp_seconds",
            "When the loaded package was created.",
            packages.compactMap { package in
                package.created.map { (Self.label("package", package.name), $0.secondsSinceEpoch) }
            }
        )
        return text
    }

    private static func successTime(_ text: String) -> Int64? {
        text.split(separator: "\n").first { $0.hasPrefix(success + " ") }.flatMap {
            Int64($0.dropFirst(success.count + 1))
        }
    }

    private static func label(_ name: String, _ value: String) -> String {
        let escaped = value.map { character in
            switch character {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            default: String(character)
            }
        }
        return "{\(name)=\"\(escaped.joined())\"}"
    }
}
