import Foundation

/// A folder for one test, gone when the test is.
public final class Scratch: Sendable {
    /// The folder's path.
    public let path: String

    /// Makes the folder.
    public init() throws {
        path = NSTemporaryDirectory() + "/afcache-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            FileHandle.standardError.write(Data("cannot remove \(path): \(error)\n".utf8))
        }
    }

    /// A path in the folder.
    public func path(_ name: String) -> String { path + "/" + name }

    /// Writes a file, and the folders above it.
    @discardableResult
    public func write(_ bytes: [UInt8], to name: String) throws -> String {
        let target = path(name)
        let folder = (target as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: target))
        return target
    }

    /// Reads a file.
    public func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path(name)))) }

    /// The names in the folder, sorted.
    public var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
}

/// What a program printed, and how it ended.
public struct ProgramResult: Sendable {
    /// The exit code; negative for a signal.
    public var status: Int32
    /// Standard output.
    public var output: [UInt8]
    /// Standard error.
    public var errors: String
    /// Standard output as text.
    public var text: String { String(decoding: output, as: UTF8.self) }
}

/// Other programs.
public enum Program {
    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - name: A path, or a name that is looked up in PATH.
    ///   - arguments: Its arguments.
    ///   - folder: Where it runs.
    ///   - environment: Variables added to the test's own.
    /// - Returns: What it printed and how it ended.
    /// - Throws: ``NotRun`` where it can't be started.
    public static func run(
        _ name: String,
        _ arguments: [String],
        in folder: String? = nil,
        environment: [String: String] = [:]
    ) throws -> ProgramResult {
        let scratch = try Scratch()
        // Files, not pipes: a pipe that nobody drains in time would stop the program. And no `Process`, whose
        // `waitUntilExit` may wait for ever on a thread of Swift's pool.
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, scratch.path("out"), O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, scratch.path("err"), O_WRONLY | O_CREAT, 0o600)
        let command = folder == nil ? [name] + arguments : ["env", "-C", folder ?? ".", name] + arguments
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0.key)=\($0.value)" }
        var words = command.map { strdup($0) } + [nil]
        var settings = variables.map { strdup($0) } + [nil]
        defer { (words + settings).forEach { free($0) } }
        var pid: pid_t = 0
        let failure = posix_spawnp(&pid, command[0], &actions, nil, &words, &settings)
        guard failure == 0 else { throw NotRun(name: name, number: failure) }
        var ended: Int32 = 0
        while waitpid(pid, &ended, 0) < 0, errno == EINTR {}
        let signal = ended & 0x7F
        return ProgramResult(
            status: signal == 0 ? ended >> 8 & 0xFF : -signal,
            output: try scratch.read("out"),
            errors: String(decoding: try scratch.read("err"), as: UTF8.self)
        )
    }

    /// A program that could not be started.
    public struct NotRun: Error {
        /// Its name.
        public var name: String
        /// The system's error number.
        public var number: Int32
    }

    /// The program that this package builds, beside the tests.
    public static var afcache: String {
        var folder = Bundle.main.bundleURL
        for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
            folder = bundle.bundleURL.deletingLastPathComponent()
        }
        if folder.pathExtension == "xctest" { folder = folder.deletingLastPathComponent() }
        let argument = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        for candidate in [folder, argument] {
            let path = candidate.appendingPathComponent("afcache").path
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        return folder.appendingPathComponent("afcache").path
    }
}
