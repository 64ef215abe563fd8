import Foundation
import TestSupport
import Testing

/// The units for systemd: the service runs under what they take away from it.
@Suite(.fewAtOnce)
struct ServiceUnitTests {
    /// Whether mounts can be made that nobody else sees.
    static let canConfine =
        (try? Program.run("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]))?.status == 0

    /// The settings of the service, by name, in their order.
    private func settings() throws -> [(name: String, value: String)] {
        let unit =
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../support/systemd/afcache.service"
        return try String(contentsOfFile: unit, encoding: .utf8).split(separator: "\n").compactMap { line in
            guard let equals = line.firstIndex(of: "="), !line.hasPrefix("#") else { return nil }
            return (String(line[..<equals]), String(line[line.index(after: equals)...]))
        }
    }

    /// What the service runs, with the folders of the test.
    private func command(store: String, logs: String) throws -> [String] {
        let start = try #require(try settings().first { $0.name == "ExecStart" }).value
        return start.replacing("${AFCACHE_CACHE}", with: store).replacing("${LOGS_DIRECTORY}", with: logs).split(
            separator: " "
        )
        .map(String.init)
    }

    @Test func `the service can write only its log`() throws {
        let settings = try settings()
        func value(_ name: String) -> String? { settings.last { $0.name == name }?.value }
        #expect(value("ProtectSystem") == "strict")
        #expect(value("DynamicUser") == "yes")
        #expect(value("CapabilityBoundingSet")?.isEmpty == true)
        #expect(value("NoNewPrivileges") == "yes")
        #expect(value("LogsDirectory") == "afcache")
        // A folder of state would be the service's own, to change as it likes.
        for name in ["StateDirectory", "ReadWritePaths", "CacheDirectory"] { #expect(value(name) == nil) }
        #expect(value("ReadOnlyPaths") == "-/var/lib/afcache")
    }

    @Test(.enabled(if: canConfine, "only root may make mounts that nobody else sees, and not in every container"))
    func `without capabilities, with root and cache read-only, the service answers at its sockets`() async throws {
        let scratch = try Scratch()
        try scratch.write(Array("<p>a page</p>\n".utf8), to: "in/index.html")
        try await Served.load(scratch, baseURL: "http://docs.example")
        try scratch.write([], to: "logs/.keep")
        try OrdinaryUser.give(scratch.path("logs"))
        let command = try command(store: "/mnt/store", logs: "/mnt/logs")
        #expect(command.first == "/usr/bin/afcache")
        let program = try Programs.start(
            "python3",
            [Programs.path("activate.py"), "tcp", "tcp", "--", "unshare", "--mount", "--propagation", "private"]
                + ["sh", Programs.path("confined.sh"), scratch.path("store"), scratch.path("logs"), Program.afcache]
                + ["/mnt/afcache"] + command.dropFirst()
        )
        defer { _ = program.stop(SIGKILL) }
        let ports = try #require(try await program.firstLine()).split(separator: " ").map(String.init)
        try #require(ports.count == 2, "\(program.errors)")
        for port in ports {
            let answer = try await curl("http://127.0.0.1:\(port)/docs.example/index.html")
            #expect(answer.text == "<p>a page</p>\n", "\(answer.errors) \(program.errors)")
        }
        // Another package is loaded beside it, and served without a restart.
        try scratch.write(Array("<p>another</p>\n".utf8), to: "in/index.html")
        try await Served.load(scratch, baseURL: "http://other.example")
        let other = try await curl("http://127.0.0.1:\(ports[0])/other.example/index.html")
        #expect(other.text == "<p>another</p>\n", "\(program.errors)")
        try await Blocking.run {
            try program.wait(until: "three answers are logged") {
                (try? scratch.read("logs/access.log"))?.filter { $0 == 0x0A }.count == 3
            }
        }
        let log = String(decoding: try scratch.read("logs/access.log"), as: UTF8.self)
        #expect(log.split(separator: "\n").count == 3, "\(log)")
        #expect(program.errors.isEmpty, "\(program.errors)")
    }

    /// A device is started before its first sync has loaded anything.
    @Test func `a service without a cache says that nothing is loaded, and serves the cache once there is one`()
        async throws
    {
        let scratch = try Scratch()
        let command = [Program.afcache, "serve", "--cache", scratch.path("store")]
        let program = try Programs.start("python3", [Programs.path("activate.py"), "tcp", "tcp", "--"] + command)
        defer { _ = program.stop(SIGKILL) }
        let ports = try #require(try await program.firstLine()).split(separator: " ").map(String.init)
        for port in ports {
            let home = try await curl("http://localhost:\(port)/")
            #expect(home.status == 200 && home.text.contains("No packages are loaded"), "\(home) \(program.errors)")
            #expect(try await curl("http://localhost:\(port)/docs.example/index.html").status == 504)
        }
        #expect(program.errors.contains("there is no cache at '\(scratch.path("store"))' yet"))
        try scratch.write(Array("<p>a page</p>\n".utf8), to: "in/index.html")
        try await Served.load(scratch, baseURL: "http://docs.example")
        for port in ports {
            try await waitUntil("the page is served") {
                try await curl("http://localhost:\(port)/docs.example/index.html").text == "<p>a page</p>\n"
            }
        }
        // The addresses are printed once, a line for each socket.
        #expect(program.text.split(separator: "\n").count { $0.hasPrefix("serving at ") } == 2, "\(program.text)")
        let status = try await Blocking.run { program.stop() }
        #expect(status == 0, "\(program.errors)")
    }

    /// Without a service manager, a path that is wrong is an error.
    @Test func `a server with sockets of its own needs a cache`() async throws {
        let scratch = try Scratch()
        let arguments = ["serve", "--cache", scratch.path("store"), "--port", "0"]
        let result = try await Programs.run(Program.afcache, arguments)
        #expect(result.status == 12, "\(result.errors)")
    }
}
