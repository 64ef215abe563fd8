import AFCCaching
import AFCFiles
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import AFCZip
import ArgumentParser

struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Say what a package is: where it is from, when it was made, and what is in it.",
        discussion: """
            Two packages with the same digest have the same contents, however they are compressed. Signatures are shown as \
            the package claims them, and verified only with '--trust'. With '--json', each line is an object for a package \
            with file, name, bytes, format, generator, created, seeds, resources, redirects, bodyBytes, hosts, usages, \
            lastModified, expires, digest, signatures, verified and encrypted.

              afcache info docs.zip
              afcache info *.zip --json
            """
    )

    @Argument(help: "The packages.", completion: .file(extensions: ["zip"]))
    var packages: [String]

    @OptionGroup(title: "Trust") var trust: TrustOptions

    @OptionGroup var format: JSONLinesOption

    @OptionGroup var verbosity: VerbosityOptions

    func run() async throws {
        for package in packages {
            let reader = try await trust.opened(package)
            let trusted = Set(try trust.keys.publicKeys().map(\.id))
            let facts = try await OffPool.run { () throws(PackageError) in try PackageFacts(reader) }
            Console.print(
                format.json ? facts.json(trust.isUsed, trusted).serialized : facts.lines(trust.isUsed, trusted)
            )
        }
        Console.flush()
    }
}

/// The number of resources for which their origins allow or disallow a usage, such as `ai-input=n`.
private struct UsageCounts: Sendable {
    /// The most usages that are counted; origins choose the names.
    private static let limit = 64
    private var counts: [String: Int] = [:]

    mutating func note(_ usage: UsagePreferences?) {
        for usage in usage?.text.split(separator: ", ").map(String.init) ?? []
        where counts[usage] != nil || counts.count < Self.limit {
            counts[usage, default: 0] += 1
        }
    }

    var ordered: [(name: String, count: Int)] {
        counts.map { (name: $0.key, count: $0.value) }.sorted { $0.name < $1.name }
    }
}

/// What a package is, without reading its bodies.
private struct PackageFacts: Sendable {
    private let path: String
    private let size: Int64
    private let info: PackageInfo?
    private let created: Timestamp?
    private var resources = 0
    private var redirects = 0
    private let bodyBytes: Int64
    /// The number of resources of each host.
    private var hosts: [String: Int] = [:]
    /// The newest time of a last modification, and the first time at which a resource expires.
    private var lastModified: Timestamp?
    private var expires: Timestamp?
    private var usages = UsageCounts()
    private let digest: String
    private let signatures: [PackageSignature]
    private let isEncrypted: Bool

    /// The most hosts in a line.
    private static let shownHosts = 5

    init(_ reader: PackageReader) throws(PackageError) {
        path = reader.path
        info = reader.index.info
        created = info?.created
        bodyBytes = reader.index.bodyBytes
        for resource in reader.index.resources where !FallbackRules.isInvented(resource.url) {
            if resource.member == nil { redirects += 1 } else { resources += 1 }
            hosts[resource.url.host ?? "", default: 0] += 1
            usages.note(resource.record?.statedUsage.combined)
            if let time = resource.entry?.lastModified { lastModified = max(lastModified ?? time, time) }
            if let time = resource.entry?.expires ?? resource.record?.expiry { expires = min(expires ?? time, time) }
        }
        digest = try reader.statedDigest().hexadecimal
        signatures = try reader.claimedSignatures()
        isEncrypted = reader.archive.members.contains { $0.encryption != nil }
        do throws(FileError) {
            size = try OpenFile(reading: path).size()
        } catch {
            throw PackageError(.inputOutput, subject: path, message: error.message)
        }
    }

    private var orderedHosts: [(name: String, count: Int)] {
        hosts.map { (name: $0.key, count: $0.value) }.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
    }

    func lines(_ isVerified: Bool, _ trusted: Set<String>) -> String {
        var lines = [
            "\(PrintableText.escaped(path)): \(Quantity.count(resources, "resource")), "
                + "\(Quantity.count(redirects, "redirect")), \(Quantity.bytes(bodyBytes)) in \(Quantity.bytes(size))"
        ]
        func add(_ name: String, _ value: String?) {
            guard let value, !value.isEmpty else { return }
            lines.append("  \(Quantity.padded(name, 9)) \(value)")
        }
        add("name", info?.name)
        add("seeds", info?.seeds.map { PrintableText.escaped($0) }.joined(separator: ", "))
        let maker = info?.generator.map { " by \(PrintableText.escaped($0))" } ?? ""
        add("created", created.map { "\($0.iso8601)\(maker)" } ?? info?.generator.map { PrintableText.escaped($0) })
        let listed = orderedHosts.prefix(Self.shownHosts).map { "\($0.name) (\($0.count))" }
        let more = hosts.count - listed.count
        add("hosts", (listed + (more > 0 ? ["and \(more) more"] : [])).joined(separator: ", "))
        add("modified", lastModified.map { "\($0.iso8601) at the latest" })
        add("expires", expires.map { "\($0.iso8601) at the earliest" })
        add("usages", usages.ordered.map { "\($0.name) (\($0.count))" }.joined(separator: ", "))
        add("digest", digest)
        for signature in signatures {
            let words = !isVerified ? " (not verified)" : trusted.contains(signature.key.id) ? "" : " (not trusted)"
            add("signed", "by \(signature.key.id), on \(signature.created.iso8601)\(words)")
        }
        if isEncrypted { add("encrypted", "yes") }
        return lines.joined(separator: "\n")
    }

    func json(_ isVerified: Bool, _ trusted: Set<String>) -> JSONValue {
        func number(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }
        func time(_ value: Timestamp?) -> JSONValue { value.map { .string($0.iso8601) } ?? .null }
        return .object([
            ("file", .string(path)), ("name", info?.name.map { .string($0) } ?? .null), ("bytes", number(size)),
            ("format", info.map { number($0.format) } ?? .null),
            ("generator", info?.generator.map { .string($0) } ?? .null), ("created", time(created)),
            ("seeds", .array((info?.seeds ?? []).map { .string($0) })), ("resources", number(resources)),
            ("redirects", number(redirects)), ("bodyBytes", number(bodyBytes)),
            ("hosts", .object(orderedHosts.map { ($0.name, number($0.count)) })),
            ("usages", .object(usages.ordered.map { ($0.name, number($0.count)) })),
            ("lastModified", time(lastModified)), ("expires", time(expires)), ("digest", .string(digest)),
            (
                "signatures",
                .array(
                    signatures.map {
                        .object([
                            ("key", .string($0.key.id)), ("created", .string($0.created.iso8601)),
                            ("trusted", .bool(isVerified && trusted.contains($0.key.id))),
                        ])
                    }
                )
            ),
            ("verified", .bool(isVerified)), ("encrypted", .bool(isEncrypted)),
        ])
    }
}
