import Foundation
import TestOrigin
import TestSupport
import Testing

/// What all commands have in common, as docs/reference/command-line.md promises it.
struct CommandLineTests {
    /// A folder with the package `p.zip` and the cache `store` that it was loaded into.
    private static func made(_ options: [String] = []) throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write(Array("<p>guide</p>".utf8), to: "in/guide/index.html")
        try scratch.write(Array("p { }".utf8), to: "in/s.css")
        let base = ["pack", "--folder", "in", "--base-url", "http://d.example", "--name", "p", "-o", "p.zip"]
        #expect(try afcache(base + options, in: scratch).status == 0)
        #expect(try afcache(["load", "p.zip", "--cache", "store"], in: scratch).status == 0)
        return scratch
    }

    private static func afcache(
        _ arguments: [String],
        in scratch: Scratch,
        environment: [String: String] = [:]
    ) throws -> ProgramResult {
        try Program.run(Program.afcache, arguments, in: scratch.path, environment: environment)
    }

    /// Runs the program from a shell, which connects its streams: `P` stands for the program.
    private static func shell(_ script: String, in scratch: Scratch) throws -> ProgramResult {
        try Program.run("bash", ["-c", script], in: scratch.path, environment: ["P": Program.afcache])
    }

    // MARK: Which cache

    @Test func `a variable names the cache, an option overrides it, and an empty name is refused`() throws {
        let scratch = try Self.made()
        let store = ["AFCACHE_CACHE": scratch.path("store")]
        for arguments in [
            ["ls"], ["cache", "info"], ["cache", "verify"], ["get", "http://d.example/s.css"], ["load", "p.zip"],
        ] {
            #expect(try Self.afcache(arguments, in: scratch, environment: store).status == 0, "\(arguments)")
        }
        let stronger = try Self.afcache(["ls", "--cache", "none"], in: scratch, environment: store)
        #expect(stronger.status == 12)
        #expect(stronger.errors.contains("'none'"))
        #expect(try Self.afcache(["ls", "p.zip"], in: scratch, environment: ["AFCACHE_CACHE": ""]).status == 0)
        for arguments in [["load", "p.zip"], ["ls"], ["cache", "gc"], ["get", "http://d.example/"]] {
            let none = try Self.afcache(arguments, in: scratch, environment: ["AFCACHE_CACHE": ""])
            #expect(none.status == 64)
            #expect(none.errors == "error: AFCACHE_CACHE: the path of the cache is empty; name a folder, or unset it\n")
            let empty = try Self.afcache(arguments + ["--cache", ""], in: scratch, environment: store)
            #expect(empty.status == 64)
            #expect(empty.errors == "error: '--cache': the path of the cache is empty; name a folder\n")
        }
        #expect(scratch.names == ["in", "p.zip", "store"])
    }

    @Test(.enabled(if: geteuid() != 0, "root's own cache is that of the machine's service"))
    func `without a name, the cache is the user's own`() throws {
        let scratch = try Self.made()
        let own = ["XDG_DATA_HOME": scratch.path("data")]
        #expect(try Self.afcache(["ls"], in: scratch, environment: own).status == 12)
        #expect(try Self.afcache(["load", "p.zip"], in: scratch, environment: own).status == 0)
        let listed = try Self.afcache(["ls"], in: scratch, environment: own)
        #expect(listed.text.contains("http://d.example/s.css"))
        for arguments in [["cache", "info"], ["get", "http://d.example/s.css"]] {
            #expect(try Self.afcache(arguments, in: scratch, environment: own).status == 0, "\(arguments)")
        }
    }

    @Test func `a sync file overrides the variable, and its cache must not be empty`() throws {
        let scratch = try Self.made()
        let other = ["AFCACHE_CACHE": scratch.path("other")]
        try scratch.write(Array("version: 1\ncache: named\npackages: [{ from: p.zip }]\n".utf8), to: "named.yaml")
        #expect(try Self.afcache(["sync", "named.yaml"], in: scratch, environment: other).status == 0)
        try scratch.write(Array("version: 1\npackages: [{ from: p.zip }]\n".utf8), to: "plain.yaml")
        #expect(try Self.afcache(["sync", "plain.yaml"], in: scratch, environment: other).status == 0)
        #expect(Set(scratch.names).isSuperset(of: ["named", "other"]))
        try scratch.write(Array("version: 1\ncache: ''\n".utf8), to: "empty.yaml")
        let empty = try Self.afcache(["sync", "empty.yaml"], in: scratch)
        #expect(empty.status == 64)
        #expect(
            empty.errors
                == "error: empty.yaml:2:8: 'cache' is empty; it must name a folder\n"
        )
    }

    // MARK: How much is said

    @Test func `quiet omits notes, verbose adds details, and results stay the same`() throws {
        let scratch = try Self.made(["--max-age", "1d"])
        let get = ["get", "http://d.example/s.css", "--cache", "store", "--at", "2090-01-01"]
        let plain = try Self.afcache(get, in: scratch)
        let quiet = try Self.afcache(get + ["-q"], in: scratch)
        let verbose = try Self.afcache(get + ["-v"], in: scratch)
        for result in [plain, quiet, verbose] {
            #expect(result.text == "p { }")
            #expect(result.status == 2)
        }
        #expect(plain.errors.hasPrefix("note: 'http://d.example/s.css' expired at 20"))
        #expect(quiet.errors.isEmpty)
        #expect(verbose.errors.hasPrefix("from package 'p'\nnote: "))
        let load = try Self.afcache(["load", "p.zip", "--cache", "store", "--verbose"], in: scratch)
        #expect(load.errors == "using cache 'store'\nreading 'p.zip'\n")
        let lint = try Self.afcache(["lint", "p.zip", "-q"], in: scratch)
        // A result: what was checked.
        #expect(lint.errors == "p.zip: 3 entries, clean\n")
    }

    // MARK: Sizes and times

    @Test func `times and sizes have units in every command`() throws {
        let scratch = try Self.made(["--max-age", "1d", "--max-body-bytes", "1.5k", "--last-modified", "+1h"])
        let list = try Self.afcache(["ls", "p.zip"], in: scratch)
        #expect(list.text.split(separator: "\n").allSatisfy { $0.hasPrefix("fresh 23h") || $0.hasPrefix("fresh 1d") })
        for arguments in [
            ["cache", "limit", "--bytes", "1.5G", "--entries", "1.5k"], ["cache", "limit", "--bytes", "64MiB"],
            ["cache", "gc", "--wait", "1m"], ["load", "p.zip", "--priority", "-5", "--wait", "0"],
        ] {
            let result = try Self.afcache(arguments + ["--cache", "store"], in: scratch)
            #expect(result.status == 0, "\(arguments): \(result.errors)")
        }
        let info = try Self.afcache(["cache", "info", "--json", "--cache", "store"], in: scratch)
        #expect(info.text.contains("\"entryLimit\":1500,\"byteLimit\":67108864"))
        let packages = try Self.afcache(["cache", "ls", "--json", "--cache", "store"], in: scratch)
        #expect(packages.text.contains("\"priority\":-5,"))
        let serve = try Self.afcache(["serve", "--cache", "none", "--stale-if-offline", "7d"], in: scratch)
        #expect(serve.status == 64)
        #expect(serve.errors.hasPrefix("error: '--stale-if-offline' needs '--origin' or '--forward-proxy'"))
    }

    // MARK: Freshness

    @Test func `get distinguishes an expired response from one without an expiry date`() throws {
        let scratch = try Self.made()
        let get = ["get", "http://d.example/s.css", "--cache", "store"]
        let unstated = try Self.afcache(get, in: scratch)
        #expect(unstated.status == 0)
        #expect(unstated.errors.isEmpty)
        let refused = try Self.afcache(get + ["--fresh-only"], in: scratch)
        #expect(refused.status == 4)
        #expect(
            refused.errors
                == "error: 'http://d.example/s.css' doesn't state how long it is fresh; remove '--fresh-only' to get it anyway\n"
        )
        #expect(refused.output.isEmpty)
        let stated = try Self.made(["--max-age", "1h"])
        #expect(try Self.afcache(get + ["--fresh-only"], in: stated).status == 0)
        let late = ["--at", "2090-01-01"]
        let expired = try Self.afcache(get + late, in: stated)
        #expect(expired.status == 2)
        #expect(expired.text == "p { }")
        let expiredRefused = try Self.afcache(get + late + ["--expired", "refuse"], in: stated)
        #expect(expiredRefused.status == 4)
        #expect(expiredRefused.errors.contains("' expired at 20"))
        #expect(expiredRefused.errors.hasSuffix("Z; remove '--expired refuse' to get it anyway\n"))
    }

    // MARK: Packages without a cache

    @Test func `get answers from a package as from a cache that contains it`() throws {
        let scratch = try Self.made(["--max-age", "1h"])
        for options in [[], ["-i"], ["--at", "2090-01-01", "-i"], ["--at", "2090-01-01", "--fresh-only"]] {
            let url = "http://d.example/guide/index.html"
            // Dates and ages would differ by the second in which each is asked.
            let at = options.contains("--at") ? [] : ["--at", "2080-01-01"]
            let cached = try Self.afcache(["get", url, "--cache", "store"] + options + at, in: scratch)
            let packaged = try Self.afcache(["get", url, "--package", "p.zip"] + options + at, in: scratch)
            #expect(packaged.text == cached.text, "\(options)")
            #expect(packaged.errors == cached.errors)
            #expect(packaged.status == cached.status)
        }
        for spelling in ["http://d.example/%73.css", "http://d.example/s%2ecss", "http://d.example/guide/inde%78.html"]
        {
            let cached = try Self.afcache(["get", spelling, "--cache", "store"], in: scratch)
            let packaged = try Self.afcache(["get", spelling, "--package", "p.zip"], in: scratch)
            #expect(packaged.status == 0 && packaged.text == cached.text, "\(spelling): \(packaged.errors)")
        }
        let missing = try Self.afcache(["get", "http://d.example/no", "--package", "p.zip"], in: scratch)
        #expect(missing.status == 3)
        #expect(missing.errors == "error: 'http://d.example/no' is not in 'p.zip'; 'afcache ls' lists its resources\n")
        for place in [["--package", "p.zip"], ["--cache", "store"]] {
            for url in ["https://d.example/s.css", "http://www.d.example/s.css", "http://d.example/S.css"] {
                let near = try Self.afcache(["get", url] + place, in: scratch)
                let sentence = "error: '\(url)' is not in '\(place[1])'; did you mean 'http://d.example/s.css'?\n"
                #expect(near.errors == sentence && near.status == 3)
            }
        }
        let damaged = try scratch.read("p.zip")
        try scratch.write(Array(damaged.prefix(damaged.count / 2)), to: "half.zip")
        #expect(try Self.afcache(["get", "http://d.example/s.css", "--package", "half.zip"], in: scratch).status == 10)
    }

    #if os(Linux)
    @Test func `a binary body isn't written to a terminal`() throws {
        let scratch = try Scratch()
        try scratch.write([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 1], to: "in/a.png")
        try scratch.write(Array("\u{1B}[1mtext\u{1B}[m ü\n".utf8), to: "in/a.txt")
        let pack = ["pack", "--folder", "in", "--base-url", "http://d.example", "--name", "p", "-o", "p.zip"]
        #expect(try Self.afcache(pack, in: scratch).status == 0)
        func shown(_ arguments: String) throws -> ProgramResult {
            let line = "'\(Program.afcache)' get --package p.zip \(arguments)"
            return try Program.run("script", ["-qec", line, "/dev/null"], in: scratch.path)
        }
        let image = try shown("http://d.example/a.png")
        #expect(image.status == 64)
        #expect(image.text.contains("the body is binary and would confuse the terminal; write it to a file with '-o'"))
        #expect(!image.text.contains("PNG"))
        #expect(try shown("http://d.example/a.png >a.png").status == 0)
        #expect(try scratch.read("a.png").count == 10)
        #expect(try shown("http://d.example/a.txt").text.contains("text"))
    }
    #endif

    @Test func `a list shows what passes all filters`() throws {
        let scratch = try Self.made()
        func urls(_ options: String...) throws -> [String] {
            var lists: [[String]] = []
            for place in [["p.zip"], ["--cache", "store"]] {
                let result = try Self.afcache(["ls"] + place + options, in: scratch)
                #expect(result.status == 0, "\(result.errors)")
                lists.append(
                    result.text.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) }
                )
            }
            #expect(lists[0] == lists[1])
            return lists[0]
        }
        let (folder, page) = ("http://d.example/guide/", "http://d.example/guide/index.html")
        let style = "http://d.example/s.css"
        #expect(try urls("--include", "/guide/*") == [folder, page])
        #expect(try urls("--include", "re:css$", "--include", "http://*/index.html") == [page, style])
        #expect(try urls("--type", "TEXT/css") == [style])
        #expect(try urls("--type", "text/*", "--include", "*.css") == [style])
        #expect(try urls("--freshness", "unstated") == [folder, page, style])
        #expect(try urls("--freshness", "fresh").isEmpty)
        #expect(try urls("--freshness", "stale").isEmpty)
    }

    @Test func `a package is unpacked only into a new or empty folder`() throws {
        let scratch = try Self.made()
        let unpacked = try Self.afcache(["unpack", "p.zip"], in: scratch)
        #expect(unpacked.status == 0, "\(unpacked.errors)")
        #expect(unpacked.text == "unpacked 'p.zip': 3 bodies, 29 B in 'p'\n")
        #expect(try scratch.read("p/d.example/s.css") == Array("p { }".utf8))
        #expect(try scratch.read("p/d.example/guide/index.html") == Array("<p>guide</p>".utf8))
        let again = try Self.afcache(["unpack", "p.zip"], in: scratch)
        #expect(again.status == 11)
        #expect(
            again.errors
                == "error: cannot use 'p': this is not an empty folder; choose a new or empty one with '--output'\n"
        )
        try FileManager.default.createDirectory(atPath: scratch.path("empty"), withIntermediateDirectories: false)
        let some = try Self.afcache(["unpack", "p.zip", "-o", "empty/", "--include", "*.css", "--json"], in: scratch)
        #expect(some.text == "{\"url\":\"http://d.example/s.css\",\"file\":\"empty/d.example/s.css\",\"size\":5}\n")
        try FileManager.default.createSymbolicLink(atPath: scratch.path("link"), withDestinationPath: "in")
        #expect(try Self.afcache(["unpack", "p.zip", "-o", "link"], in: scratch).status == 11)
        #expect(try Self.afcache(["unpack", "p.zip", "-o", "no/folder"], in: scratch).status == 11)
        #expect(scratch.names == ["empty", "in", "link", "p", "p.zip", "store"])
    }

    @Test func `a damaged package leaves no folder behind`() throws {
        let scratch = try Self.made()
        var bytes = try scratch.read("p.zip")
        // The style sheet is too short to be deflated, so its text stands in the archive.
        let text = Array("p { }".utf8)
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: text) })
        bytes[place] = UInt8(ascii: "q")
        try scratch.write(bytes, to: "damaged.zip")
        let before = scratch.names
        let result = try Self.afcache(["unpack", "damaged.zip", "-o", "out"], in: scratch)
        #expect(result.status == 10, "\(result.errors)")
        #expect(scratch.names == before)
    }

    // MARK: What isn't lost

    @Test(
        arguments: [
            // A command whose output is, or looks like, what would be lost; what is said.
            ("lint p.zip --format json -o p.zip", 11, "the file is a package or another zip, which would be lost"),
            ("lint in --format json -o p.zip", 11, "the file is a package or another zip"),
            ("serve p.zip --port 0 --missing p.zip", 11, "the file is a package or another zip"),
            ("serve p.zip --port 0 --access-log p.zip", 11, "the file is a package or another zip"),
            ("get http://d.example/s.css --package p.zip -o ./p.zip", 64, "can't replace the package it comes from"),
            ("keygen -o key.pub", 64, "looks like a public one; write '-o key'"),
            // The h of a long option with one dash isn't '-h', and the o of another isn't '-o'.
            ("load p.zip -cache new", 64, "unknown option '-cache'; did you mean '--cache'?"),
            ("load -hat p.zip", 64, "unknown option '-hat'; did you mean '--help'?"),
            ("pack http://d.example/ -output", 64, "unknown option '-output'; did you mean '--output'?"),
            ("cache ls -json", 64, "unknown option '-json'; did you mean '--json'?"),
            // A name of a file is never one of an opened package.
            ("open pp.zip", 11, "cannot open 'pp.zip': No such file or directory; did you mean 'p.zip'?"),
            ("merge 'n*.zip' p.zip -o m.zip", 11, "if the pattern was in quotes, write it without them"),
            ("record -o r.zip -- ./p.zip", 11, "if it is a program, 'chmod +x ./p.zip' makes it executable"),
            ("record -o r.zip -- sh -c 'kill -9 $$'", 137, "code 137, as after signal 9 (Killed)"),
        ] as [(String, Int32, String)]
    )
    func `a mistake loses nothing and says what to write`(command: String, status: Int32, said: String) throws {
        let scratch = try Self.made()
        let (package, names) = (try scratch.read("p.zip"), scratch.names)
        let result = try Self.shell("$P \(command)", in: scratch)
        #expect(result.status == status, "\(result.text)\(result.errors)")
        #expect(result.errors.contains(said), "\(result.errors)")
        #expect(result.text.isEmpty)
        #expect(try scratch.read("p.zip") == package)
        #expect(scratch.names == names)
    }

    @Test func `short options that are joined still work`() throws {
        let scratch = try Self.made()
        #expect(try Self.shell("$P get http://d.example/s.css --cache store -os.css -q", in: scratch).status == 0)
        #expect(try scratch.read("s.css") == Array("p { }".utf8))
        #expect(try Self.shell("$P record -- true -cache -hat; [ $? != 64 ]", in: scratch).status == 0)
    }

    // MARK: Standard streams

    @Test func `a result that can't be written is an error in every command`() throws {
        let scratch = try Self.made()
        for command in [
            "--help", "--version", "ls p.zip", "get http://d.example/s.css --cache store", "lint --list-rules",
        ] {
            let closed = try Self.shell("$P \(command) >&-", in: scratch)
            #expect(closed.status == 11, "\(command)")
            #expect(closed.errors == "error: cannot write to standard output: Bad file descriptor\n", "\(command)")
            let readOnly = try Self.shell("$P \(command) 1</dev/null", in: scratch)
            #expect(readOnly.status == 11, "\(command)")
        }
    }

    @Test(arguments: ["lint -", "pack --list - -o n.zip", "import - -o n.zip"])
    func `closed standard input is an error that says so`(command: String) throws {
        let scratch = try Scratch()
        let result = try Self.shell("$P \(command) <&-", in: scratch)
        #expect(result.status == 11, "\(result.status)")
        #expect(result.errors.contains("standard input") && result.errors.contains("it is closed"), "\(result.errors)")
        #expect(scratch.names.isEmpty, "\(scratch.names)")
    }

    @Test func `a name that isn't UTF-8 is refused, since two would become one`() throws {
        let scratch = try Self.made()
        for command in ["export p.zip -o $'h\\xe8.html'", "record -o n.zip -- touch $'n\\xe9'", "ls $'n\\xff'"] {
            let result = try Self.shell("$P \(command)", in: scratch)
            #expect(result.status == 64 && result.errors.contains("isn't UTF-8"), "\(result.errors)")
        }
        let variable = try Self.shell("AFCACHE_CACHE=$'c\\xe9' $P load p.zip", in: scratch)
        #expect(variable.status == 64 && variable.errors.contains("'AFCACHE_CACHE' isn't UTF-8"), "\(variable.errors)")
        let made = scratch.names.filter { name in ["n", "h", "c"].contains { name.hasPrefix($0) } }
        #expect(made.isEmpty, "\(made)")
    }

    @Test func `what is linted may have been made after the start`() async throws {
        try await TestOrigin.withOrigin(["/": [.html("<link rel=icon href=data:,>x")]]) { origin in
            let pack = "{ sleep 2; $P pack \(origin.base)/ -q -o -; }"
            let result = try Self.shell("\(pack) | $P lint - --select sidecar.fetched-in-future", in: try Scratch())
            #expect(result.status == 0 && !result.text.contains("in the future"), "\(result.text) \(result.errors)")
        }
    }

    @Test func `no file takes the place of a closed standard stream`() throws {
        let scratch = try Self.made()
        let load = try Self.shell("$P load p.zip --cache new <&- >&- 2>&-", in: scratch)
        #expect(load.status == 11)
        let verify = try Self.afcache(["cache", "verify", "--cache", "new"], in: scratch)
        #expect(verify.status == 0, "\(verify.text)")
        let pack = try Self.shell("$P pack --folder in --base-url http://d.example -o q.zip >&- 2>&-", in: scratch)
        #expect(pack.status == 11)
        #expect(try Self.afcache(["lint", "q.zip"], in: scratch).status == 0)
        let get = try Self.shell("$P get http://d.example/s.css --cache store -o s.css >&- 2>&-", in: scratch)
        #expect(get.status == 0)
        #expect(try scratch.read("s.css") == Array("p { }".utf8))
    }

    @Test func `a reader that stops early ends the program silently`() throws {
        let scratch = try Scratch()
        try scratch.write(Array(repeating: UInt8(ascii: "a"), count: 1 << 20), to: "in/a.txt")
        let pack = ["pack", "--folder", "in", "--base-url", "http://d.example", "--name", "p", "-o", "p.zip"]
        #expect(try Self.afcache(pack, in: scratch).status == 0)
        let script = "$P get http://d.example/a.txt --package p.zip | head -c 1; echo ${PIPESTATUS[0]}"
        let result = try Self.shell(script, in: scratch)
        // Where SIGPIPE is ignored, as below some programs that run tests, writing fails instead.
        #expect(["a141\n", "a11\n"].contains(result.text))
        #expect(result.errors.isEmpty)
    }
}
