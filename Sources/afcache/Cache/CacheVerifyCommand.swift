import ArgumentParser
import OfflineCache
import PackageFormat

struct CacheVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Compare everything in a store with what was loaded.",
        discussion: """
            Each body is read and compared with its SHA-256; nothing is changed. The exit code is 1 where something is \
            wrong. 'afcache cache repair' mends it.

              afcache cache verify --cache store
            """
    )

    @Option(help: "The store.", completion: .directory)
    var cache: String

    @Flag(help: "Look at names and sizes only.")
    var quick = false

    @Flag(help: "One JSON object a finding.")
    var json = false

    func run() async throws {
        let store = try OfflineCache(path: cache, access: .readOnly)
        let report = try store.verify(isQuick: quick)
        for finding in report.findings { Console.print(json ? finding.json.serialized : finding.line) }
        if !json, report.findings.isEmpty {
            Console.print(
                "\(Size.count(report.packages, "package")), "
                    + (report.received > 0 ? "\(Size.count(report.received, "received response")), " : "")
                    + "\(Size.count(report.bodies, "body")), "
                    + "\(Size.text(report.bytes)): sound"
            )
        }
        Console.flush()
        if !report.findings.isEmpty { throw ExitStatus.findings.code }
    }
}

extension StoreFinding {
    var line: String { "\(PackageProblem.quoted(path)): \(message) [\(kind.rawValue)]" }

    var json: JSONValue {
        .object([
            ("kind", .string(kind.rawValue)),
            ("path", .string(path)),
            ("package", package.map { .string($0) } ?? .null),
            ("url", url.map { .string($0) } ?? .null),
            ("message", .string(message)),
        ])
    }
}

struct CacheRepairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Take back what is missing or damaged in a store.",
        discussion: """
            Bodies come from other generations in the store that have the same bytes, and from the packages that are \
            named; an index comes from its package. Received responses that are damaged leave. The exit code is 1 where \
            something is still wrong.

              afcache cache repair docs.zip --cache store
            """
    )

    @Argument(help: "Packages at hand.", completion: .file(extensions: ["zip"]))
    var packages: [String] = []

    @Option(help: "The store.", completion: .directory)
    var cache: String

    @Option(
        help: "A file whose first line is the password of encrypted packages. (default: AFCACHE_PASSWORD)",
        completion: .file()
    )
    var passwordFile: String?

    @OptionGroup var waiting: WaitOptions

    func run() async throws {
        let store = try OfflineCache(path: cache, access: .existing)
        let password = try PasswordSource.given(file: passwordFile)
        let report = try await store.repair(from: packages, password: password, patience: waiting.patience(for: cache))
        for finding in report.remaining { Console.print("still wrong: \(finding.line)") }
        Console.print("\(report.repaired.count) repaired, \(report.remaining.count) remain")
        Console.flush()
        if !report.remaining.isEmpty { throw ExitStatus.findings.code }
    }
}
