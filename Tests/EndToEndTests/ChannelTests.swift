import Foundation
import TestOrigin
import TestSupport
import Testing

/// Channels, from the publisher's commands to the devices' sync, by the built program.
struct ChannelTests {
    private static let day = 86_400
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try program(["keygen", "-o", "team"])
        try program(["channel", "new", "docs", "--key", "team.pub", "-o", "docs.channel"])
        try scratch.write(
            Array("version: 1\ncache: store\ntrust: [team.pub]\nchannel: docs.channel\n".utf8),
            to: "s.yaml"
        )
    }

    @discardableResult
    private func program(_ arguments: [String], status: Int32 = 0, at time: Int? = nil) throws -> ProgramResult {
        let environment = time.map { ["SOURCE_DATE_EPOCH": String($0)] } ?? [:]
        let result = try Program.run(Program.afcache, arguments, in: scratch.path, environment: environment)
        #expect(result.status == status, "\(arguments): \(result.text)\(result.errors)")
        return result
    }

    /// Packs one page, next to some that stay the same.
    private func pack(_ text: String, as name: String) throws {
        try scratch.write(Array(text.utf8), to: "site/index.html")
        for page in 0..<20 {
            try scratch.write(Array(String(repeating: "page \(page) ", count: 500).utf8), to: "site/\(page).html")
        }
        try program(["pack", "--folder", "site", "--base-url", "http://d.example", "-o", name])
    }

    private func publish(_ package: String, _ options: [String] = [], sign: [String] = []) throws {
        try program(["channel", "add", "docs.channel", package, "--name", "docs"] + options)
        try program(["channel", "sign", "docs.channel", "--sign", "team"] + sign)
    }

    private func page() throws -> String {
        try Program.run(Program.afcache, ["get", "http://d.example/", "--cache", "store"], in: scratch.path).text
    }

    private func sync(_ options: [String] = [], status: Int32 = 0, at time: Int? = nil) throws -> ProgramResult {
        try program(["sync", "s.yaml"] + options, status: status, at: time)
    }

    private func copy(_ from: String, to: String) throws { try scratch.write(try scratch.read(from), to: to) }

    @Test func `a package that isn't beside the channel is warned of`() throws {
        try pack("one", as: "docs.zip")
        try scratch.write(try scratch.read("docs.zip"), to: "elsewhere/docs-9.zip")
        let add = ["channel", "add", "docs.channel", "elsewhere/docs-9.zip", "--name", "docs"]
        let warning = "devices look for './docs-9.zip', which isn't there; copy the package there, or name its URL with"
        #expect(try program(add).errors.contains(warning))
        #expect(try !program(add + ["--base", "https://a.example/"]).errors.contains("devices look for"))
    }

    // MARK: What is remembered

    @Test func `links among what is remembered, and files that others can write, are refused and named`() throws {
        try pack("one", as: "docs.zip")
        try publish("docs.zip")
        #expect(try sync().text == "installed 'docs'\n")
        for name in ["device", "docs.json"] {
            let path = scratch.path("store/channels/" + name)
            let kept = try scratch.read("store/channels/" + name)
            try scratch.write(kept, to: "elsewhere")
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: scratch.path("elsewhere"))
            #expect(try sync(status: 11).errors.contains("store/channels/" + name), "\(name)")
            try FileManager.default.removeItem(atPath: path)
            try scratch.write(kept, to: "store/channels/" + name)
            chmod(path, 0o666)
            #expect(try sync(status: 11).errors.contains("another user can write to this file"), "\(name)")
            chmod(path, 0o644)
        }
        #expect(try sync().text == "unchanged 'docs'\n")
    }

    // MARK: Following

    @Test func `devices follow a channel over HTTP, with one request if nothing is new, and with patches`() async throws
    {
        try pack("one", as: "docs-1.zip")
        try publish("docs-1.zip")
        let first = try scratch.read("docs.channel")
        try pack("two", as: "docs-2.zip")
        try program(["patch", "docs-1.zip", "docs-2.zip", "-o", "docs-1-2.zip"])
        try publish("docs-2.zip", ["--patch", "docs-1-2.zip"])
        let routes: [String: [TestOrigin.Answer]] = [
            "/c/docs.channel": [
                TestOrigin.Answer(200, [("ETag", "\"1\"")], body: first), .init(304),
                .init(200, [("ETag", "\"2\"")], body: try scratch.read("docs.channel")), .init(304),
            ],
            "/c/docs-1.zip": [TestOrigin.Answer(200, [], body: try scratch.read("docs-1.zip"))],
            "/c/docs-1-2.zip": [TestOrigin.Answer(200, [], body: try scratch.read("docs-1-2.zip"))],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let file = "version: 1\ncache: store\ntrust: [team.pub]\nchannel: \(origin.base)/c/docs.channel\n"
            try scratch.write(Array(file.utf8), to: "s.yaml")
            #expect(try sync().text == "installed 'docs'\n")
            #expect(try page() == "one")
            #expect(origin.targets == ["/c/docs.channel", "/c/docs-1.zip"])
            #expect(try sync().text == "unchanged 'docs'\n")
            #expect(origin.targets.count == 3)
            #expect(origin.requests[2].fields.contains("If-None-Match: \"1\""))
            #expect(try sync().text == "updated   'docs'\n")
            #expect(try page() == "two")
            #expect(Array(origin.targets[3...]) == ["/c/docs.channel", "/c/docs-1-2.zip"])
            #expect(try sync().text == "unchanged 'docs'\n")
            #expect(origin.targets.count == 6)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path("store/downloads"))
        #expect(names.isEmpty, "\(names)")
    }

    @Test func `a mirror that is gone or lies is passed over`() async throws {
        try pack("wrong", as: "wrong.zip")
        try pack("right", as: "docs.zip")
        let routes: [String: [TestOrigin.Answer]] = [
            "/lie/docs.zip": [TestOrigin.Answer(200, [], body: try scratch.read("wrong.zip"))],
            "/long/docs.zip": [TestOrigin.Answer(200, [], body: Array(repeating: 0, count: 1_000_000))],
            "/good/docs.zip": [TestOrigin.Answer(200, [], body: try scratch.read("docs.zip"))],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let bases = ["gone", "lie", "long", "good"].flatMap { ["--base", origin.base + "/" + $0] }
            try publish("docs.zip", bases)
            let result = try sync()
            #expect(result.text == "installed 'docs'\n")
            #expect(result.errors.components(separatedBy: "trying the next place").count == 4, "\(result.errors)")
            #expect(try page() == "right")
            // If all of them fail, the package fails, and what is loaded stays.
            try pack("later", as: "docs.zip")
            try publish("docs.zip", ["--base", origin.base + "/gone", "--base", origin.base + "/lie"])
            #expect(try sync(status: 5).text == "failed    'docs'\n")
            #expect(try page() == "right")
        }
    }

    @Test func `a release reaches its share of devices, and is taken back`() throws {
        try pack("one", as: "docs-1.zip")
        try publish("docs-1.zip")
        try pack("two", as: "docs-2.zip")
        try publish("docs-2.zip", ["--rollout", "50"])
        var taken: [String: Bool] = [:]
        for device in 0..<12 {
            let shown = try program(["channel", "show", "docs.channel", "--device", "d\(device)"]).text
            let lines = shown.split(separator: "\n").filter { $0.contains(", for this device") }
            #expect(lines.count == 1)
            taken["d\(device)"] = lines.first?.contains(" 50 %") ?? false
        }
        let early = try #require(taken.keys.filter { taken[$0] == true }.min())
        let late = try #require(taken.keys.filter { taken[$0] == false }.min())
        func file(_ device: String) throws {
            let text =
                "version: 1\ncache: \(device)\ntrust: [team.pub]\nchannel: { from: docs.channel, device: \(device) }\n"
            try scratch.write(Array(text.utf8), to: "s.yaml")
        }
        func page(_ device: String) throws -> String {
            try Program.run(Program.afcache, ["get", "http://d.example/", "--cache", device], in: scratch.path).text
        }
        for (percent, expected) in [("50", ["two", "one"]), ("0", ["one", "one"]), ("100", ["two", "two"])] {
            try program(["channel", "rollout", "docs.channel", "docs", percent])
            try program(["channel", "sign", "docs.channel", "--sign", "team"])
            for device in [early, late] {
                try file(device)
                _ = try sync()
            }
            #expect(try [page(early), page(late)] == expected, "at \(percent) %")
        }
        // A release that was taken back makes room for the next one.
        try pack("two and a half", as: "docs-2b.zip")
        try publish("docs-2b.zip", ["--rollout", "50"])
        try program(["channel", "rollout", "docs.channel", "docs", "0"])
        try publish("docs-2.zip", ["--rollout", "5"])
        try publish("docs-2.zip")
        // Two releases at once are the limit.
        try pack("three", as: "docs-3.zip")
        try publish("docs-3.zip", ["--rollout", "5"])
        try pack("four", as: "docs-4.zip")
        let add = ["channel", "add", "docs.channel", "docs-4.zip", "--name", "docs", "--rollout", "5"]
        #expect(try program(add, status: 64).errors.contains("the newest release of 'docs' is still at 5 %"))
    }

    @Test func `commands that change a channel at the same time lose nothing`() async throws {
        try pack("one", as: "docs-1.zip")
        let names = (1...8).map { "p\($0)" }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in names {
                group.addTask { try program(["channel", "add", "docs.channel", "docs-1.zip", "--name", name]) }
            }
            try await group.waitForAll()
        }
        let shown = try program(["channel", "show", "docs.channel"]).text
        for name in names { #expect(shown.contains("\n'\(name)'\n"), "\(shown)") }
    }

    @Test func `a command waits for another one that changes the channel only as long as it may`() throws {
        try pack("one", as: "docs-1.zip")
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: scratch.path("docs.channel")))
        #expect(flock(handle.fileDescriptor, LOCK_EX) == 0)
        let add = ["channel", "add", "docs.channel", "docs-1.zip", "--name", "docs", "--wait", "0"]
        let refused = try program(add, status: 13)
        #expect(refused.errors.contains("another process is changing the channel; '--wait' sets how long"))
        // A program that another test started at the same time may still have the file open.
        #expect(flock(handle.fileDescriptor, LOCK_UN) == 0)
        try handle.close()
        try program(add)
    }

    @Test func `a release that devices would hardly expect is listed with a warning`() throws {
        try pack("one", as: "docs-1.zip")
        try pack("two", as: "docs-2.zip")
        try program(["patch", "docs-1.zip", "docs-2.zip", "-o", "docs-1-2.zip"])
        #expect(
            try !program(["channel", "add", "docs.channel", "docs-1.zip", "--name", "docs-1"]).errors.contains(
                "warning"
            )
        )
        let add = ["channel", "add", "docs.channel", "docs-2.zip", "--name", "docs", "--patch", "docs-1-2.zip"]
        let other = try program(add + ["--rollout", "10"])
        #expect(other.errors.contains("warning: 'docs-1-2.zip' leads from "), "\(other.errors)")
        #expect(other.errors.contains("which is no release of 'docs' in this channel; it is one of 'docs-1'; if that"))
        #expect(other.errors.contains("warning: 'docs' has no earlier release in this channel, so devices beyond 10 %"))
        try program(["channel", "remove", "docs.channel", "docs"])
        try program(["channel", "add", "docs.channel", "docs-1.zip", "--name", "docs"])
        let right = try program(add + ["--rollout", "10"])
        #expect(!right.errors.contains("warning"), "\(right.errors)")
    }

    @Test func `what a channel no longer lists is removed, unless it can't be read`() throws {
        try pack("one", as: "docs-1.zip")
        try publish("docs-1.zip")
        try program(["channel", "add", "docs.channel", "docs-1.zip", "--name", "more"])
        try program(["channel", "sign", "docs.channel", "--sign", "team"])
        let text = "version: 1\ncache: store\nremove-others: true\ntrust: [team.pub]\nchannel: docs.channel\n"
        try scratch.write(Array(text.utf8), to: "s.yaml")
        #expect(try sync().text == "installed 'docs'\ninstalled 'more'\n")
        try program(["channel", "remove", "docs.channel", "more"])
        // It isn't signed yet.
        #expect(try sync(status: 15).text == "")
        try program(["channel", "sign", "docs.channel", "--sign", "team"])
        #expect(try sync().text == "unchanged 'docs'\nremoved   'more'\n")
        let twice = text + "packages: [{ name: docs, from: docs-1.zip }]\n"
        try scratch.write(Array(twice.utf8), to: "s.yaml")
        #expect(try sync(status: 64).errors.contains("the channel and the sync file both list 'docs'"))
    }

    @Test func `metrics say what is old or failing`() throws {
        try pack("one", as: "docs-1.zip")
        try publish("docs-1.zip")
        _ = try sync(["--metrics", "m.prom"])
        let first = String(decoding: try scratch.read("m.prom"), as: UTF8.self)
        for line in [
            "afcache_sync_exit_code 0", "afcache_channel_version{channel=\"docs\"} 1", "{action=\"installed\"} 1",
        ] {
            #expect(first.contains(line + "\n"), "\(first)")
        }
        let success = try #require(
            first.split(separator: "\n").first { $0.hasPrefix("afcache_sync_success_timestamp_seconds ") }
        )
        try FileManager.default.removeItem(atPath: scratch.path("docs.channel"))
        _ = try sync(["--metrics", "m.prom"], status: 11)
        let second = String(decoding: try scratch.read("m.prom"), as: UTF8.self)
        #expect(second.contains("afcache_sync_exit_code 11\n"), "\(second)")
        #expect(second.contains("afcache_channel_version{channel=\"docs\"} 1\n"))
        #expect(second.contains(success + "\n"))
        #expect(try page() == "one")
        // A sync file that can't be read is a run that failed, too.
        try scratch.write(Array("version: 2\n".utf8), to: "s.yaml")
        _ = try sync(["--metrics", "m.prom"], status: 64)
        let third = String(decoding: try scratch.read("m.prom"), as: UTF8.self)
        #expect(third.contains("afcache_sync_exit_code 64\n") && third.contains(success + "\n"), "\(third)")
    }

    @Test func `a package that a device was shipped with isn't loaded again, and is updated by a patch`() throws {
        try pack("one", as: "docs-1.zip")
        try publish("docs-1.zip")
        try program(["load", "docs-1.zip", "--name", "docs", "--cache", "store"])
        #expect(try sync().text == "unchanged 'docs'\n")
        try pack("two", as: "docs-2.zip")
        try program(["patch", "docs-1.zip", "docs-2.zip", "-o", "p.zip"])
        try publish("docs-2.zip", ["--patch", "p.zip"])
        try FileManager.default.removeItem(atPath: scratch.path("docs-2.zip"))
        #expect(try sync().text == "updated   'docs'\n")
        #expect(try page() == "two")
    }

    // MARK: Attacks

    @Test func `attacks are refused with their sentence and code, and what is loaded is served`() throws {
        try pack("one", as: "docs-1.zip")
        try publish("docs-1.zip")
        try copy("docs.channel", to: "1.channel")
        try pack("two", as: "docs-2.zip")
        try publish("docs-2.zip")
        try copy("docs.channel", to: "2.channel")
        try program(["keygen", "-o", "thief"])
        try program(["channel", "new", "news", "--key", "team.pub", "-o", "news.channel"])
        try program(["channel", "sign", "news.channel", "--sign", "team"])
        let text = String(decoding: try scratch.read("2.channel"), as: UTF8.self)
        let description = text.components(separatedBy: "afcache-channel-signature")[0]
        func attack(_ bytes: [UInt8], _ sentence: String, status: Int32, _ source: SourceLocation = #_sourceLocation)
            throws
        {
            try scratch.write(bytes, to: "docs.channel")
            let result = try Program.run(Program.afcache, ["sync", "s.yaml"], in: scratch.path)
            #expect(result.status == status, "\(result.errors)", sourceLocation: source)
            #expect(result.errors.contains(sentence), "\(result.errors)", sourceLocation: source)
            let shown = try page()
            #expect(shown == "two", sourceLocation: source)
        }
        func signed(_ base: String, _ edit: (String) -> String, by key: String = "team", _ options: [String] = [])
            throws -> [UInt8]
        {
            try scratch.write(Array(edit(base).utf8), to: "x.channel")
            try program(["channel", "sign", "x.channel", "--sign", key] + options)
            return try scratch.read("x.channel")
        }
        _ = try sync()
        #expect(try page() == "two")

        try attack(try scratch.read("1.channel"), "this is version 1, but version 2 is known already", status: 15)
        try attack(Array(description.utf8), "the channel is not signed", status: 15)
        let taken = try signed(
            description,
            { $0 },
            by: "thief",
            ["--add-key", "thief.pub", "--remove-key", "team.pub"]
        )
        try attack(taken, "the channel isn't signed by a key that the version before names", status: 15)
        try attack(
            Array(text.replacing("docs-2.zip", with: "docs-1.zip").utf8),
            "doesn't match; the channel was changed",
            status: 15
        )
        let moved = text.replacing(
            description,
            with: String(decoding: try scratch.read("1.channel"), as: UTF8.self).components(
                separatedBy: "afcache-channel-signature"
            )[0]
        )
        try attack(Array(moved.utf8), "doesn't match; the channel was changed", status: 15)
        let forked = try signed(
            description,
            { $0.replacing("\"version\": 2", with: "\"version\": 1").replacing("docs-2.zip", with: "docs-1.zip") }
        )
        try attack(forked, "version 2 is known with other contents", status: 15)
        let fast = try signed(description, { $0.replacing("\"version\": 2", with: "\"version\": 10002") })
        try attack(fast, "version 10003 is more than 10000 above the known version 2", status: 15)
        try attack(try scratch.read("news.channel"), "this is the channel 'news', not 'docs'", status: 15)
        try copy("2.channel", to: "x.channel")
        try program(["channel", "sign", "x.channel", "--sign", "team"], at: 1_000_000_000)
        try attack(try scratch.read("x.channel"), "the channel expired at 2001-10-09T01:46:40Z", status: 18)
        try attack(
            Array("afcache-channel-1\n".utf8) + Array(repeating: 0x20, count: 9 << 20),
            "larger than",
            status: 11
        )
        try attack(Array("<html>login</html>".utf8), "the first line must be 'afcache-channel-1'", status: 10)
        // A package that isn't the one that was signed.
        let wrong = try signed(description, { $0.replacing("docs-2.zip", with: "docs-1.zip") })
        try FileManager.default.removeItem(atPath: scratch.path("store"))
        try scratch.write(try scratch.read("2.channel"), to: "docs.channel")
        _ = try sync()
        try program(["cache", "remove", "docs", "--cache", "store"])
        try scratch.write(Array("more".utf8), to: "site/more.html")
        try pack("two", as: "docs-3.zip")
        try program(["load", "docs-3.zip", "--name", "docs", "--cache", "store"])
        try attack(wrong, "contents have the digest", status: 5)
    }

    @Test func `a key is replaced, and the old one is worth nothing`() throws {
        try pack("one", as: "docs-1.zip")
        try publish("docs-1.zip")
        _ = try sync()
        try program(["keygen", "-o", "next"])
        let half = try program([
            "channel", "sign", "docs.channel", "--add-key", "next.pub", "--remove-key", "team.pub", "--sign", "next",
        ])
        #expect(
            half.errors.contains("is signed by 0 of the keys of the version before, and devices want 1"),
            "\(half.errors)"
        )
        _ = try sync(status: 15)
        try program(["channel", "sign", "docs.channel", "--also", "--sign", "team"])
        _ = try sync()
        try copy("docs.channel", to: "both.channel")
        // A change removes the signatures, and needs a version of its own.
        try program(["channel", "rollout", "docs.channel", "docs", "50"])
        let late = try program(["channel", "sign", "docs.channel", "--also", "--sign", "next"], status: 64)
        #expect(late.errors.contains("was changed since its last one was signed; sign it without '--also'"))
        try copy("both.channel", to: "docs.channel")
        try program(["channel", "sign", "docs.channel", "--sign", "next"])
        _ = try sync()
        let stolen = String(decoding: try scratch.read("docs.channel"), as: UTF8.self)
        try scratch.write(
            Array(stolen.components(separatedBy: "afcache-channel-signature")[0].utf8),
            to: "docs.channel"
        )
        try program(["channel", "sign", "docs.channel", "--add-key", "team.pub", "--sign", "team"])
        #expect(try sync(status: 15).errors.contains("isn't signed by a key that the version before names"))
    }

    // MARK: Commands

    @Test func `mistakes of a publisher are named, and change nothing`() throws {
        try pack("one", as: "docs-1.zip")
        try pack("two", as: "docs-2.zip")
        try pack("three", as: "docs-3.zip")
        try program(["patch", "docs-1.zip", "docs-2.zip", "-o", "patch.zip"])
        try scratch.write(Array("PK".utf8), to: "broken.zip")
        try publish("docs-1.zip")
        let before = try scratch.read("docs.channel")
        try program(["keygen", "-o", "other"])
        let mistakes: [([String], Int32, String)] = [
            (["new", "Docs", "--key", "team.pub", "-o", "n"], 64, "'Docs' can't be the name of a channel"),
            (["new", "docs", "-o", "n"], 64, "a channel needs a key"),
            (["new", "docs", "--key", "team", "-o", "n"], 64, "is a private key"),
            (["new", "docs", "--key", "team.pub", "-o", "docs.channel"], 64, "'docs.channel' already exists"),
            (
                ["new", "docs", "--key", "team.pub", "--threshold", "2", "-o", "n"], 64,
                "'--threshold' must be a number from 1"
            ),
            (["add", "docs.channel", "broken.zip"], 10, "'broken.zip'"),
            (["add", "docs.channel", "missing.zip"], 11, "'missing.zip'"),
            (
                ["add", "docs.channel", "docs-3.zip", "--patch", "patch.zip"], 64,
                "'patch.zip' leads to another package"
            ),
            (["add", "docs.channel", "docs-3.zip", "--rollout", "101"], 64, "'101' is not a percentage"),
            (["add", "docs.channel", "docs-3.zip", "--base", "ftp://a/"], 64, "devices would refuse the change"),
            (["add", "docs-3.zip", "docs-3.zip"], 10, "this is a package or another zip, not a channel"),
            (["remove", "docs.channel", "none"], 64, "the channel doesn't list 'none'; it lists 'docs'"),
            (["rollout", "docs.channel", "none", "5"], 64, "the channel doesn't list 'none'"),
            (["sign", "docs.channel"], 64, "name the private key with '--sign'"),
            (["sign", "docs.channel", "--sign", "other"], 64, "none of the keys of '--sign' is a key of this channel"),
            (
                ["sign", "docs.channel", "--sign", "team", "--remove-key", "other.pub"], 64,
                "is not a key of this channel"
            ),
            (
                ["sign", "docs.channel", "--sign", "team", "--remove-key", "team.pub"], 64,
                "the channel would have 0 keys"
            ),
            (
                ["show", "docs.channel", "--trust", "other.pub"], 15,
                "the channel isn't signed by a key that this device trusts"
            ),
        ]
        for (arguments, status, sentence) in mistakes {
            let result = try program(["channel"] + arguments, status: status)
            #expect(result.errors.contains(sentence), "\(arguments): \(result.errors)")
            #expect(result.errors.hasPrefix("error: "), "\(result.errors)")
        }
        #expect(try scratch.read("docs.channel") == before)
        #expect(!scratch.names.contains("n"))
    }

    @Test func `a channel on a server is changed by several programs, and devices follow it`() async throws {
        for number in 0..<4 { try pack("\(number)", as: "\(number).zip") }
        let directory = scratch.path
        try await TestOrigin.withOrigin([:]) { origin in
            origin.keep("/docs.channel", ChangeableFile(nil))
            let channel = origin.base + "/docs.channel"
            try program(["channel", "new", "docs", "--key", "team.pub", "-o", channel])
            let second = try program(["channel", "new", "docs", "--key", "team.pub", "-o", channel], status: 64)
            #expect(second.errors.contains("already exists"), "\(second.errors)")
            try await withThrowingTaskGroup(of: ProgramResult.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        let arguments = [
                            "channel", "add", channel, "\(number).zip", "--name", "p\(number)", "--sign", "team",
                        ]
                        return try Program.run(Program.afcache, arguments, in: directory)
                    }
                }
                for try await result in group { #expect(result.status == 0, "\(result.errors)") }
            }
            let shown = try program(["channel", "show", channel, "--trust", "team.pub"]).text
            #expect(shown.hasPrefix("'docs', version 4\n"), "\(shown)")
            for number in 0..<4 { #expect(shown.contains("'p\(number)'"), "\(shown)") }
            try program(["channel", "remove", channel, "p0", "--sign", "team"])
            let missing = try program(["channel", "remove", channel, "p0"], status: 64)
            #expect(missing.errors.contains("the channel doesn't list 'p0'"), "\(missing.errors)")
            var file = try #require(origin.file("/docs.channel"))
            file.obeysConditions = false
            origin.keep("/docs.channel", file)
            let refused = try program(["channel", "remove", channel, "p1"], status: 17)
            #expect(refused.errors.hasPrefix("error: cannot change '\(channel)': "), "\(refused.errors)")
            #expect(refused.errors.contains("ignores If-Match"), "\(refused.errors)")
            #expect(origin.file("/docs.channel")?.text == file.text)
        }
    }

    @Test func `with a fixed date, a channel is reproducible`() throws {
        try pack("one", as: "docs-1.zip")
        try program(["channel", "add", "docs.channel", "docs-1.zip", "--name", "docs"])
        try copy("docs.channel", to: "draft.channel")
        var files: [[UInt8]] = []
        for _ in 0..<2 {
            try copy("draft.channel", to: "docs.channel")
            try program(["channel", "sign", "docs.channel", "--sign", "team"], at: 1_800_000_000)
            files.append(try scratch.read("docs.channel"))
        }
        #expect(files[0] == files[1])
        #expect(String(decoding: files[0], as: UTF8.self).contains("\"created\": \"2027-01-15T08:00:00Z\""))
    }
}
