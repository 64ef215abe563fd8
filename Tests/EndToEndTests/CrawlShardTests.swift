import Foundation
import TestOrigin
import TestSupport
import Testing

/// One crawl as several jobs that share a folder, with the built program.
struct CrawlShardTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let hosts = (0..<12).map { "h\($0).example" }

    /// Sites that refer to each other, answered by one origin as a proxy: a chain through all hosts, shortcuts, redirects and
    /// images elsewhere.
    private static let routes: [String: [TestOrigin.Answer]] = {
        var routes: [String: [TestOrigin.Answer]] = [:]
        for (number, host) in hosts.enumerated() {
            func other(_ step: Int) -> String { "http://\(hosts[(number + step) % hosts.count])" }
            let links = "<link rel=icon href=data:,><a href=/1>1</a><a href=/r>r</a>"
            routes["http://\(host)/"] = [.html(links + "<a href=\(other(1))/>x</a><img src=\(other(5))/i.png>")]
            routes["http://\(host)/1"] = [
                .html("<link rel=icon href=data:,><a href=/2>2</a><a href=\(other(7))/2>y</a>")
            ]
            routes["http://\(host)/2"] = [.html("<link rel=icon href=data:,><p>\(host)")]
            routes["http://\(host)/r"] = [.redirect(other(3) + "/1")]
            routes["http://\(host)/i.png"] = [.text("png \(host)", type: "image/png")]
        }
        return routes
    }()

    private func environment(_ origin: TestOrigin) -> [String: String] {
        ["http_proxy": origin.base, "SOURCE_DATE_EPOCH": "1700000000"]
    }

    private func run(_ arguments: [String], _ origin: TestOrigin?) throws -> ProgramResult {
        try Program.run(
            Program.afcache,
            arguments,
            in: scratch.path,
            environment: origin.map(environment) ?? [:]
        )
    }

    private func job(_ shard: String, _ root: String, _ origin: TestOrigin) throws
        -> RunningProgram
    {
        try RunningProgram(
            Program.afcache,
            ["crawl", "work", scratch.path(root), "--shard", shard],
            environment: environment(origin)
        )
    }

    private func next(_ root: String) throws -> [String] {
        let result = try run(["crawl", "next", root], nil)
        #expect(result.status == 0, "\(result.errors)")
        return result.text.split(separator: "\n").map(String.init)
    }

    /// Runs all rounds, one job after the other.
    ///
    /// - Returns: How many rounds there were.
    private func crawl(_ root: String, _ origin: TestOrigin, _ shards: Int, _ options: [String]) throws -> Int {
        let seeds = ["http://h0.example/", "http://h6.example/"]
        let planned = try run(["crawl", "plan", root, "--shards", "\(shards)"] + seeds + options, origin)
        #expect(planned.status == 0, "\(planned.errors)")
        var rounds = 0
        while true {
            let shards = try next(root)
            if shards.isEmpty { return rounds }
            rounds += 1
            for shard in shards {
                let result = try run(["crawl", "work", root, "--shard", shard, "-q"], origin)
                #expect(result.status == 0, "\(result.errors)")
            }
        }
    }

    /// Returns the URLs of packages with their bodies.
    private func contents(_ packages: [String]) throws -> [String] {
        try packages.flatMap { package in
            let listed = try run(["ls", package, "--json"], nil)
            #expect(listed.status == 0, "\(listed.errors)")
            return try listed.text.split(separator: "\n").map { line in
                let value = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                return "\(value?["url"] ?? "") \(value?["status"] ?? "") \(value?["sha256"] ?? "")"
            }
        }
        .sorted()
    }

    private func packages(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: scratch.path(folder)).filter { $0.hasSuffix(".zip") }
            .sorted()
            .map { folder + "/" + $0 }
    }

    private func bytes(_ folder: String) throws -> [String: [UInt8]] {
        var bytes: [String: [UInt8]] = [:]
        for package in try packages(folder) { bytes[name(of: package)] = try scratch.read(package) }
        return bytes
    }

    private func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }

    @Test(.timeLimit(.minutes(10)), arguments: [["--depth", "5"], ["--depth", "2"], []])
    func `1, 4 and 16 shards have what one pack has, and request nothing twice`(options: [String]) async throws {
        try await TestOrigin.withOrigin(Self.routes) { origin in
            let options = ["--scope", "any"] + options
            let packed = try run(
                ["pack", "http://h0.example/", "http://h6.example/", "-o", "one.zip", "-q"] + options,
                origin
            )
            #expect(packed.status == 0, "\(packed.errors)")
            let expected = try contents(["one.zip"])
            for shards in [1, 4, 16] {
                let before = origin.requests.count
                let rounds = try crawl("root\(shards)", origin, shards, options)
                #expect(shards == 1 ? rounds == 1 : rounds >= 3)
                let asked = origin.requests.dropFirst(before).map(\.target).filter { !$0.hasSuffix("/robots.txt") }
                #expect(asked.count == Set(asked).count, "\(shards)")
                let published = try run(["crawl", "publish", "root\(shards)", "-o", "out\(shards)"], nil)
                #expect(published.status == 0, "\(published.errors)")
                #expect(try contents(packages("out\(shards)")) == expected, "\(shards)")
            }
            try loadHost(from: "out16")
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a bucket has the packages that a folder has, and each job gets from it what it needs`() async throws {
        try await TestOrigin.withOrigin(Self.routes) { origin in
            var bucket = TestBucket()
            bucket.pageSize = 7
            origin.keep(bucket: "docs", bucket)
            var places = environment(origin)
            places["AWS_ENDPOINT_URL"] = origin.base
            let root = "s3://docs/a/night"
            func run(_ arguments: [String]) throws -> ProgramResult {
                try Program.run(Program.afcache, arguments, in: scratch.path, environment: places)
            }
            let options = ["--scope", "any", "--depth", "4"]
            #expect(try crawl("root", origin, 4, options) > 2)
            #expect(try self.run(["crawl", "publish", "root", "-o", "out"], nil).status == 0)

            let none = try run(["crawl", "next", root])
            #expect(
                none.status == 64 && none.errors.contains("'s3://docs/a/night' has no plan of a crawl"),
                "\(none.errors)"
            )
            let seeds = ["http://h0.example/", "http://h6.example/"]
            for words in ["planned: ", "planned before: "] {
                let planned = try run(["crawl", "plan", root, "--shards", "4"] + seeds + options)
                #expect(planned.status == 0 && planned.text.hasPrefix(words), "\(planned.text)\(planned.errors)")
            }
            let another = try run(["crawl", "plan", root, "--shards", "8"] + seeds + options)
            #expect(
                another.status != 0 && another.errors.contains("has the plan of another crawl"),
                "\(another.errors)"
            )
            var rounds = 0
            while true {
                let shards = try run(["crawl", "next", root])
                #expect(shards.status == 0, "\(shards.errors)")
                if shards.text.isEmpty { break }
                rounds += 1
                for shard in shards.text.split(separator: "\n") {
                    let worked = try run(["crawl", "work", root, "--shard", String(shard)])
                    #expect(worked.status == 0, "\(worked.errors)")
                }
            }
            #expect(rounds > 2)
            let published = try run(["crawl", "publish", root, "-o", "stored"])
            #expect(published.status == 0, "\(published.errors)")
            #expect(try bytes("stored") == bytes("out"))
            let status = try run(["crawl", "status", root])
            #expect(status.text.contains("finished after \(rounds) rounds"), "\(status.text)\(status.errors)")

            origin.change(bucket: "docs") { $0.obeysConditions = false }
            let nobody = try DeadPort()
            places["AWS_ENDPOINT_URL"] = nobody.base
            let gone = try run(["crawl", "next", root])
            #expect(gone.status == 17 && gone.errors.hasPrefix("error: cannot use '\(root)'"), "\(gone.errors)")
            places["AWS_ENDPOINT_URL"] = origin.base
            let ignorant = try run(["crawl", "plan", "s3://docs/b", "--shards", "4"] + seeds)
            #expect(ignorant.status == 11 && ignorant.errors.contains("If-None-Match"), "\(ignorant.errors)")
        }
    }

    /// Loads what one host of a crawl needs, and fails for another one.
    private func loadHost(from folder: String) throws {
        let loaded = try run(["load", "--collection", folder, "--host", "H6.example", "--cache", "cache"], nil)
        #expect(loaded.status == 0 && loaded.text.split(separator: "\n").count == 1, "\(loaded.text)\(loaded.errors)")
        let page = try run(["get", "http://h6.example/", "--cache", "cache"], nil)
        #expect(page.status == 0 && page.text.contains("<a href=/1>"), "\(page.errors)")
        let absent = try run(["load", "--collection", folder, "--host", "z.example", "--cache", "cache"], nil)
        #expect(absent.status == 64 && absent.errors.contains("has the host 'z.example'"), "\(absent.errors)")
        // A list may be from elsewhere.
        let list = #"{"packages":[{"file":"../\#(folder)/x.zip","hosts":["z.example"]}]}"#
        try scratch.write(Array(list.utf8), to: "hostile/crawl.json")
        for (arguments, words) in [
            (["--collection", "hostile", "--host", "z.example"], "has the host"),
            (["--collection", "root16", "--host", "z.example"], "has no crawl.json"),
            (["--collection", folder], "belong together"), (["--host", "a.example", "x.zip"], "belong together"),
        ] {
            let refused = try run(["load"] + arguments + ["--cache", "cache"], nil)
            #expect(refused.status == 64 && refused.errors.contains(words), "\(refused.errors)")
        }
    }

    /// The routes, whose answers give kills and other jobs something to interrupt.
    private static let slowRoutes = routes.mapValues { answers in
        answers.map { answer in
            var answer = answer
            answer.delay = .milliseconds(40)
            return answer
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a late job doesn't remove the attempt whose result counts, although it took it over`() async throws {
        let options = ["--scope", "any", "--connections", "1"]
        try await TestOrigin.withOrigin(Self.routes) { origin in
            let rounds = try crawl("calm", origin, 1, options)
            #expect(rounds == 1)
        }
        try await TestOrigin.withOrigin(Self.slowRoutes) { origin in
            let seeds = ["http://h0.example/", "http://h6.example/"]
            #expect(try run(["crawl", "plan", "wild", "--shards", "1"] + seeds + options, origin).status == 0)
            let shard = try #require(try next("wild").first)
            let late = try job(shard, "wild", origin)
            let place = "wild/round-1/shard-\(shard)"
            try late.wait(until: "the job has claimed its attempt") {
                FileManager.default.fileExists(atPath: scratch.path(place + "/attempt-1/lock"))
            }
            // As if another job had ended in this attempt before this one claimed it.
            try FileManager.default.copyItem(
                atPath: scratch.path("calm/round-1/shard-\(shard)/done.json"),
                toPath: scratch.path(place + "/done.json")
            )
            #expect(late.wait() == 0, "\(late.errors)")
            #expect(FileManager.default.fileExists(atPath: scratch.path(place + "/attempt-1/lock")))
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `kills and second jobs change no byte`() async throws {
        try await TestOrigin.withOrigin(Self.slowRoutes) { origin in
            let options = ["--scope", "any", "--connections", "1"]
            _ = try crawl("calm", origin, 4, options)
            #expect(try run(["crawl", "publish", "calm", "-o", "calm-out"], nil).status == 0)
            let seeds = ["http://h0.example/", "http://h6.example/"]
            #expect(try run(["crawl", "plan", "wild", "--shards", "4"] + seeds + options, origin).status == 0)
            var random = SystemRandomNumberGenerator()
            var rounds = 0
            while true {
                let shards = try next("wild")
                if shards.isEmpty { break }
                rounds += 1
                // The moment of the kill is what is tested: anywhere from the start to the end of the work.
                let killed = try shards.map { try job($0, "wild", origin) }
                try await Task.sleep(for: .milliseconds(Int.random(in: 50...700, using: &random)))
                for job in killed { _ = job.stop(SIGKILL) }
                // Then each shard has two jobs at once.
                let jobs = try (shards + shards).map { try job($0, "wild", origin) }
                for job in jobs { #expect(job.wait() == 0, "\(job.errors)") }
            }
            #expect(rounds >= 3)
            #expect(try run(["crawl", "publish", "wild", "-o", "wild-out"], nil).status == 0)
            #expect(try bytes("wild-out") == bytes("calm-out"))
            // Nothing of those who were late or killed remains.
            let left = try FileManager.default.subpathsOfDirectory(atPath: scratch.path("wild"))
            let attempts = left.filter { name(of: $0).hasPrefix("attempt-") }
            #expect(attempts.count == left.count { $0.hasSuffix("/done.json") }, "\(attempts)")
            #expect(!left.contains { $0.contains("/try-") || $0.contains("afcache-tmp") }, "\(left)")
        }
    }

    @Test func `SIGTERM ends with the code that asks for another job, which continues`() async throws {
        var slow = TestOrigin.Answer.html("slow")
        slow.delay = .seconds(20)
        let routes = ["http://h0.example/": [.html("<a href=/1>1</a>")], "http://h0.example/1": [slow]]
        try await TestOrigin.withOrigin(routes) { origin in
            #expect(try run(["crawl", "plan", "root", "--shards", "1", "http://h0.example/"], origin).status == 0)
            let first = try job("1", "root", origin)
            try first.wait(until: "the slow page is asked for") { origin.count(of: "http://h0.example/1") == 1 }
            #expect(first.stop(SIGTERM) == 75)
            #expect(first.errors.contains("stopped: another job continues"), "\(first.errors)")
            origin.set("http://h0.example/1", .html("fast"))
            let second = try run(["crawl", "work", "root", "--shard", "1/1"], origin)
            #expect(
                second.status == 0 && second.text.hasPrefix("shard 1/1, round 1: 2 resources, "),
                "\(second.errors)"
            )
            #expect(origin.count(of: "http://h0.example/") == 1)
            let third = try run(["crawl", "work", "root"], origin)
            #expect(
                third.status == 64 && third.errors.contains("name a shard with '--shard', from 1 to 1;"),
                "\(third.errors)"
            )
            let outside = try run(["crawl", "work", "root", "--shard", "7"], origin)
            #expect(
                outside.status == 64 && outside.errors.contains("the crawl has 1 shard; write a number from 1 to 1"),
                "\(outside.errors)"
            )
            #expect(try run(["crawl", "publish", "root", "-o", "ours"], nil).status == 0)
            let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path("ours"))
            #expect(names.count == 2 && names.contains("crawl.json"))
            for (name, text) in names.map({ ($0, "{\"plan\": 1}") }) {
                try scratch.write(Array(text.utf8), to: "theirs/\(name)")
                let published = try run(["crawl", "publish", "root", "-o", "theirs"], nil)
                #expect(published.status == 11 && published.errors.contains("the file exists and is not a"))
                #expect(try scratch.read("theirs/\(name)") == Array(text.utf8))
                try FileManager.default.removeItem(atPath: scratch.path("theirs/\(name)"))
            }
            let fourth = try Program.run(
                Program.afcache,
                ["crawl", "work", "root"],
                in: scratch.path,
                environment: ["SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_MIN": "7", "SLURM_ARRAY_TASK_COUNT": "1"]
            )
            #expect(fourth.status == 0 && fourth.text == "shard 1/1: the crawl is finished\n", "\(fourth.errors)")
        }
    }

    @Test func `a shard that three jobs leave as it was is set aside and named`() async throws {
        var slow = TestOrigin.Answer.html("slow")
        slow.delay = .seconds(20)
        try await TestOrigin.withOrigin(["http://h0.example/": [slow]]) { origin in
            #expect(try run(["crawl", "plan", "root", "--shards", "2", "http://h0.example/"], origin).status == 0)
            let shard = try #require(try next("root").first)
            for attempt in 1...3 {
                let killed = try job(shard, "root", origin)
                try killed.wait(until: "the page is asked for") { origin.count(of: "http://h0.example/") == attempt }
                _ = killed.stop(SIGKILL)
            }
            let aside = try run(["crawl", "work", "root", "--shard", shard], origin)
            #expect(
                aside.status == 5 && aside.errors.contains("set aside after 3 attempts without progress"),
                "\(aside.errors)"
            )
            #expect(origin.count(of: "http://h0.example/") == 3)
            let stuck = try run(["crawl", "next", "root"], nil)
            #expect(stuck.status == 5 && stuck.text.isEmpty, "\(stuck.text)")
            let file = "root/round-1/shard-\(shard)/aside.txt"
            #expect(stuck.errors.contains("remove '\(file)' to try it again"), "\(stuck.errors)")
            #expect(try run(["crawl", "publish", "root", "-o", "out"], nil).status == 6)
            // Whoever tries again begins to count again.
            try FileManager.default.removeItem(atPath: scratch.path(file))
            origin.set("http://h0.example/", .html("fast"))
            #expect(try run(["crawl", "work", "root", "--shard", shard], origin).status == 0)
            #expect(try next("root").isEmpty)
        }
    }

    @Test func `another plan, another version and a damaged file are refused`() async throws {
        try await TestOrigin.withOrigin(Self.routes) { origin in
            let plan = ["crawl", "plan", "root", "--shards", "4", "--scope", "any", "http://h0.example/"]
            #expect(try run(plan, origin).text == "planned: 1 start URL in 1 of 4 shards\n")
            #expect(try run(plan, origin).text == "planned before: 1 start URL in 1 of 4 shards\n")
            let other = try run(plan + ["--depth", "1"], origin)
            #expect(
                other.status == 11 && other.errors.contains("the folder has the plan of another crawl"),
                "\(other.errors)"
            )
            try scratch.write([], to: "full/thesis.txt")
            let full = try run(["crawl", "plan", "full"] + plan.dropFirst(3), origin)
            #expect(
                full.status == 11 && full.errors.contains("the folder has other files, such as 'thesis.txt'"),
                "\(full.errors)"
            )
            let shard = try #require(try next("root").first)
            #expect(try run(["crawl", "work", "root", "--shard", shard, "-q"], origin).status == 0)
            let targets = try next("root")

            func change(_ file: String, _ change: (inout [UInt8]) -> Void, _ body: () throws -> Void) throws {
                let old = try scratch.read(file)
                var bytes = old
                change(&bytes)
                try scratch.write(bytes, to: file)
                try body()
                try scratch.write(old, to: file)
            }
            let done = "root/round-1/shard-\(shard)/done.json"
            try change(done) { bytes in
                bytes = Array(
                    String(decoding: bytes, as: UTF8.self).replacing("\"plan\":\"", with: "\"plan\":\"0").utf8
                )
            } _: {
                let result = try run(["crawl", "next", "root"], nil)
                #expect(result.status == 11 && result.errors.contains("it belongs to another plan"), "\(result.errors)")
            }
            let target = try #require(targets.first)
            try change("root/round-1/shard-\(shard)/attempt-1/to-\(target)") {
                $0[$0.count / 2] ^= 1
            } _: {
                let result = try run(["crawl", "work", "root", "--shard", target], origin)
                let sentence = "the URLs that shard \(shard) handed over are damaged"
                #expect(result.status == 11 && result.errors.contains(sentence), "\(result.errors)")
            }
            try change("root/plan.json") { bytes in
                bytes = Array(String(decoding: bytes, as: UTF8.self).replacing("afcache/", with: "afcache/1").utf8)
            } _: {
                let result = try run(["crawl", "work", "root", "--shard", target], origin)
                #expect(
                    result.status == 64 && result.errors.contains("all of its jobs need the same version"),
                    "\(result.errors)"
                )
            }
            #expect(try run(["crawl", "work", "root", "--shard", target, "-q"], origin).status == 0)
        }
    }

    @Test(arguments: [
        (
            ["https://a.example/", "http://a.example/"],
            "'https://a.example/' is a URL; the jobs of a crawl share a folder"
        ),
        (["s3://bucket", "http://a.example/"], "cannot use 's3://bucket': write s3://BUCKET/KEY"),
        (["root", "--shards", "3", "http://a.example/"], "'--shards' must be a power of two from 1 to 1024"),
        (["root", "--header", "a: b", "http://a.example/"], "give it to 'afcache crawl work'"),
        (["root", "--max-pages", "3", "http://a.example/"], "can't be kept by shards that don't know of each other"),
        (["root", "--update", "http://a.example/"], "'--update' is not an option of crawls in shards"),
        (["root", "--scope", "all", "http://a.example/"], "'all' is not a value for '--scope'"),
        (["root"], "name a URL where the crawl starts"),
        (["root", "http://u:p@a.example/"], "must be an http or https URL without credentials"),
    ])
    func `a plan that can't be followed is refused before anything is written`(options: [String], message: String)
        throws
    {
        let result = try run(["crawl", "plan"] + options, nil)
        #expect(result.status == 64 && result.errors.contains(message), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: scratch.path("root")))
    }

    @Test func `a channel lists each package once, and status shows what shards have`() async throws {
        try await TestOrigin.withOrigin(Self.routes) { origin in
            #expect(try run(["keygen", "-o", "team"], nil).status == 0)
            try FileManager.default.createDirectory(atPath: scratch.path("www"), withIntermediateDirectories: true)
            #expect(try run(["channel", "new", "all", "--key", "team.pub", "-o", "www/all.channel"], nil).status == 0)
            _ = try crawl("root", origin, 4, ["--scope", "any", "--name", "night"])
            #expect(try run(["keygen", "-o", "other"], nil).status == 0)
            let wrong = try run(["crawl", "publish", "root", "--channel", "www/all.channel", "--sign", "other"], nil)
            #expect(wrong.status == 64 && wrong.errors.contains("none of the keys of '--sign'"), "\(wrong.errors)")
            #expect(try packages("www").isEmpty)
            for _ in 1...2 {
                let result = try run(
                    ["crawl", "publish", "root", "--channel", "www/all.channel", "--sign", "team"],
                    nil
                )
                #expect(result.status == 0, "\(result.errors)")
            }
            let shown = try run(["channel", "show", "www/all.channel", "--trust", "team.pub"], nil)
            let count = try packages("www").count
            #expect(shown.text.contains("version \(count)") && shown.text.contains("'night-1'"), "\(shown.text)")
            let status = try run(["crawl", "status", "root", "--json"], nil)
            let value = try JSONSerialization.jsonObject(with: Data(status.text.utf8)) as? [String: Any]
            let shards = try #require(value?["shards"] as? [[String: Any]])
            #expect(value?["finished"] as? Bool == true && shards.count == 4)
            #expect(shards.reduce(0) { $0 + ($1["resources"] as? Int ?? 0) } == Self.routes.count)
            let table = try run(["crawl", "status", "root"], nil)
            #expect(
                table.text.hasPrefix("finished after ") && table.text.split(separator: "\n").count == 6,
                "\(table.text)"
            )
        }
    }
}
