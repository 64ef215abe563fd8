import Foundation
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
            ["pack", "--folder", scratch.path(version), "--base-url", "http://d.example", "-o", path]
        )
        #expect(result.status == 0, "\(result.errors)")
        return path
    }

    /// Holds the store's lock for some seconds, as a writer does.
    private static func holder(_ scratch: Scratch, seconds: Double) throws -> RunningProgram {
        let script = """
            import fcntl, os, sys, time
            file = open(sys.argv[1], "w")
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write("process %d" % os.getpid())
            file.flush()
            open(sys.argv[1] + ".held", "w").write(str(os.getpid()))
            time.sleep(float(sys.argv[2]))
            """
        let lock = scratch.path("store/writer.lock")
        let program = try RunningProgram("python3", ["-c", script, lock, String(seconds)])
        while !FileManager.default.fileExists(atPath: lock + ".held") { usleep(5000) }
        return program
    }

    @Test func `a writer that waits says for whom, and goes on when the other is done`() throws {
        let scratch = try Scratch()
        let package = try Self.package("one", in: scratch)
        let load = ["load", package, "--cache", scratch.path("store")]
        #expect(try Program.run(Program.afcache, load).status == 0)
        let holder = try Self.holder(scratch, seconds: 0.6)
        let result = try Program.run(Program.afcache, load)
        let pid = String(decoding: try scratch.read("store/writer.lock.held"), as: UTF8.self)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors == "waiting for process \(pid), which writes to '\(scratch.path("store"))'\n")
        _ = holder.stop(SIGKILL)
    }

    @Test func `a writer that waits in vain says so with an exit code of its own`() throws {
        let scratch = try Scratch()
        let package = try Self.package("one", in: scratch)
        let load = ["load", package, "--cache", scratch.path("store")]
        #expect(try Program.run(Program.afcache, load).status == 0)
        let holder = try Self.holder(scratch, seconds: 60)
        for arguments in [load, ["cache", "remove", "one", "--cache", scratch.path("store")]] {
            let result = try Program.run(Program.afcache, arguments + ["--wait", "0"])
            #expect(result.status == 13)
            #expect(result.errors.hasPrefix("error: cannot use '\(scratch.path("store"))': process "))
            #expect(result.errors.contains("is writing to the store; try again, or wait longer with '--wait'"))
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
        let list = try Program.run(Program.afcache, ["cache", "packages", "--cache", store])
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
            address, store, stop = sys.argv[1:]
            connection = http.client.HTTPConnection(address)
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
                    changes += version != last
                    last = version
            print(asked, changes)
            """
        try await MainJobTests.withServer(store) { address in
            let output = scratch.path("client.txt")
            let stop = scratch.path("stop")
            let command = "exec python3 -c \"$1\" \"$2\" \"$3\" \"$4\" > \"$5\""
            let reader = try RunningProgram("sh", ["-c", command, "sh", client, address, store, stop, output])
            for turn in 1...100 { #expect(try Program.run(Program.afcache, load(turn)).status == 0) }
            try scratch.write([], to: "stop")
            #expect(reader.wait() == 0)
            let numbers = String(decoding: try scratch.read("client.txt"), as: UTF8.self).split(
                whereSeparator: \.isWhitespace
            )
            .compactMap { Int($0) }
            // Each answer after a load shows the new version, so no replace went by unseen while the client was asking.
            #expect(numbers.count == 2)
            #expect(numbers.first ?? 0 > 100)
            #expect(numbers.last ?? 0 > 50)
        }
    }
}
