import Foundation
import TestOrigin
import TestSupport
import Testing

/// Several processes and one store.
struct WriterTests {
    private static func package(_ version: String, count: Int = 3, in scratch: Scratch) throws -> String {
        for index in 0..<count {
            let text = "\(version) \(index) " + String(repeating: "\(version) ", count: 2000)
            try scratch.write(Array(text.utf8), to: "\(version)/p\(index).txt")
        }
        let path = scratch.path("\(version).zip")
        let result = try Program.run(
            Program.afcache,
            [
                "pack", "--folder", scratch.path(version), "--base-url", "http://d.example", "--name", version, "-o",
                path,
            ]
        )
        #expect(result.status == 0, "\(result.errors)")
        return path
    }

    /// Holds the store's lock until it is stopped, as a writer does.
    private static func holder(_ scratch: Scratch) throws -> RunningProgram {
        let script = """
            import fcntl, os, signal, sys
            file = open(sys.argv[1], "w")
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write("process %d" % os.getpid())
            file.flush()
            open(sys.argv[1] + ".held", "w").write(str(os.getpid()))
            while True:
                signal.pause()
            """
        let lock = scratch.path("store/writer.lock")
        let program = try RunningProgram("python3", ["-c", script, lock])
        try program.wait(until: "the lock is held") { FileManager.default.fileExists(atPath: lock + ".held") }
        return program
    }

    @Test func `who waits for a download by another process downloads nothing`() async throws {
        let scratch = try Scratch()
        let body = try scratch.read(
            URL(fileURLWithPath: try Self.package("p", in: scratch)).lastPathComponent
        )
        try await TestOrigin.withOrigin([:]) { origin in
            let tag = (name: "ETag", value: "\"1\"")
            var slow = TestOrigin.Answer(200, [tag], body: body)
            slow.delay = .seconds(2)
            // Only a request with a condition has the second answer.
            origin.set("/p.zip", slow, TestOrigin.Answer(304, [tag]))
            let load = ["load", origin.base + "/p.zip", "--allow-http", "--cache", scratch.path("store")]
            let first = try RunningProgram(Program.afcache, load)
            try first.wait(until: "the package is asked for") { origin.count(of: "/p.zip") == 1 }
            let second = try Program.run(Program.afcache, load)
            #expect(first.wait() == 0)
            #expect(second.status == 0 && second.text.hasPrefix("unchanged 'p'"), "\(second.text)\(second.errors)")
            #expect(origin.requests.map { $0.value("if-none-match") } == [nil, tag.value])
        }
    }

    @Test func `a waiting writer names the other process, and continues when it is done`() throws {
        let scratch = try Scratch()
        let package = try Self.package("one", in: scratch)
        let load = ["load", package, "--cache", scratch.path("store")]
        #expect(try Program.run(Program.afcache, load).status == 0)
        let holder = try Self.holder(scratch)
        let writer = try RunningProgram(Program.afcache, load)
        try writer.wait(until: "the writer says that it waits") { writer.errors.hasSuffix("\n") }
        #expect(writer.errors == "waiting for process \(holder.pid), which writes to '\(scratch.path("store"))'\n")
        #expect(!writer.hasEnded)
        _ = holder.stop(SIGKILL)
        #expect(writer.wait() == 0, "\(writer.errors)")
    }

    @Test func `a writer that waited too long has an exit code of its own`() throws {
        let scratch = try Scratch()
        let package = try Self.package("one", in: scratch)
        let load = ["load", package, "--cache", scratch.path("store")]
        #expect(try Program.run(Program.afcache, load).status == 0)
        let holder = try Self.holder(scratch)
        for arguments in [load, ["cache", "remove", "one", "--cache", scratch.path("store")]] {
            let result = try Program.run(Program.afcache, arguments + ["--wait", "0"])
            #expect(result.status == 13)
            #expect(result.errors.hasPrefix("error: cannot use '\(scratch.path("store"))': process "))
            #expect(result.errors.contains("try again or wait longer; '--wait' sets how long"))
        }
        #expect(try Program.run(Program.afcache, load + ["--wait", "1"]).status == 13)
        _ = holder.stop(SIGKILL)
        #expect(try Program.run(Program.afcache, load + ["--wait", "0"]).status == 0)
    }

    @Test func `many writers at once all get their turn`() async throws {
        let scratch = try Scratch()
        let packages = try (0..<6).map { try Self.package("site\($0)", in: scratch) }
        let store = scratch.path("store")
        try await withThrowingTaskGroup(of: Int32.self) { group in
            for package in packages {
                group.addTask { try Program.run(Program.afcache, ["load", package, "--cache", store]).status }
            }
            for try await status in group { #expect(status == 0) }
        }
        let list = try Program.run(Program.afcache, ["cache", "ls", "--cache", store])
        #expect(list.text.split(separator: "\n").count == 6)
        #expect(try Program.run(Program.afcache, ["cache", "verify", "--cache", store]).status == 0)
    }

    /// The reader is a server, and a client that asks it as fast as it can: each answer must be one whole version, never an
    /// older one than the answer before, and never missing.
    @Test func `a reader at full speed sees only whole versions during 100 replaces`() async throws {
        let scratch = try Scratch()
        let packages = [try Self.package("even", in: scratch), try Self.package("odd", in: scratch)]
        let store = scratch.path("store")
        let load = { (turn: Int) in
            ["load", packages[turn % 2], "--name", "p", "--cache", store]
        }
        #expect(try Program.run(Program.afcache, load(0)).status == 0)
        let client = """
            import http.client, os, sys
            address, seen, stop = sys.argv[1:]
            connection = http.client.HTTPConnection(address)
            seen = os.open(seen, os.O_WRONLY | os.O_CREAT)
            asked, changes, last = 0, 0, None
            while not os.path.exists(stop):
                for page in range(3):
                    connection.request("GET", "/p%d.txt" % page, headers={"Host": "d.example"})
                    answer = connection.getresponse()
                    body = answer.read().decode()
                    version = body.split(" ")[0]
                    whole = "%s %d " % (version, page) + (version + " ") * 2000
                    assert answer.status == 200 and body == whole, (answer.status, body[:80])
                    asked += 1
                    if version != last:
                        changes += 1
                        os.write(seen, b".")
                    last = version
            print(asked, changes)
            """
        try await MainJobTests.withServer(store) { address in
            let output = scratch.path("client.txt")
            let stop = scratch.path("stop")
            let command = "exec python3 -c \"$1\" \"$2\" \"$3\" \"$4\" > \"$5\""
            let seen = scratch.path("seen")
            let reader = try RunningProgram("sh", ["-c", command, "sh", client, address, seen, stop, output])
            /// Waits until the client has met so many versions, one for each replace.
            func wait(for versions: Int) throws {
                try reader.wait(until: "the client has met \(versions) versions") {
                    (try? scratch.read("seen").count) ?? 0 >= versions
                }
            }
            try wait(for: 1)
            for turn in 1...100 {
                #expect(try Program.run(Program.afcache, load(turn)).status == 0)
                try wait(for: turn + 1)
            }
            try scratch.write([], to: "stop")
            #expect(reader.wait() == 0)
            let numbers = String(decoding: try scratch.read("client.txt"), as: UTF8.self).split(
                whereSeparator: \.isWhitespace
            )
            .compactMap { Int($0) }
            #expect(numbers.count == 2)
            #expect(numbers.first ?? 0 > 100)
            #expect(numbers.last == 101, "each version was seen, and none again after its successor")
        }
    }
}
