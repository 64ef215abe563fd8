import Foundation
import TestSupport
import Testing

/// The help pages are text that users read: a change in one is a change in the recorded page beside these tests.
struct HelpTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Help")

    @Test(arguments: [
        "", "pack", "record", "replay", "import", "lint", "repack", "merge", "export", "load", "ls", "diff", "info",
        "get", "unpack",
        "mount-index", "mcp", "patch", "try", "serve", "cache", "cache info", "push", "image", "open", "channel",
        "batch", "channel new", "channel add",
        "channel remove", "channel rollout",
        "channel sign", "channel show", "cache ls", "cache verify",
        "cache repair", "sync", "cache remove", "cache rollback", "cache pin", "cache unpin", "cache limit",
        "cache clear", "cache gc", "cache search-index",
        "keygen", "ca", "ca create", "ca show", "ca export",
    ])
    func `a help page is as recorded, and names its examples`(command: String) throws {
        let arguments = command.split(separator: " ").map(String.init) + ["--help"]
        let result = try Program.run(Program.afcache, arguments, environment: ["COLUMNS": "80"])
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        let file = Self.folder.appendingPathComponent(
            (command.isEmpty ? "afcache" : command.replacingOccurrences(of: " ", with: "-")) + ".txt"
        )
        let recorded = try? String(contentsOf: file, encoding: .utf8)
        if recorded == nil { try result.text.write(to: file, atomically: true, encoding: .utf8) }
        #expect(recorded == result.text, "the page was recorded now; look at it and run the test again")
        #expect(result.text.contains("  afcache \(command.isEmpty ? "pack" : command) "), "there is an example")
        // The short help fits on a screen, and begins with what the command does and an example.
        let short = try Program.run(Program.afcache, Array(arguments.dropLast()) + ["-h"])
        let lines = short.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(short.status == 0 && short.errors.isEmpty && lines.count <= 33, "\(lines.count)")
        #expect(lines.allSatisfy { $0.count <= 80 || $0.hasPrefix("  afcache ") }, "\(short.text)")
        #expect(lines.contains { $0.hasPrefix("  afcache \(command)") } && short.text.contains(" --help' "))
    }

    /// What goes wrong, the exit code, and what standard error says; nothing goes to standard output.
    @Test(
        arguments: [
            (["pack"], 64, "name a URL to crawl, or a folder with '--folder'"),
            (["pack", "http://d.example/", "--folder", "x"], 64, "name URLs or a folder, not both"),
            (["pack", "d.example"], 64, "'d.example' is not an absolute URL: it has no scheme such as 'http:'"),
            (["pack", "ftp://d.example/"], 64, "neither http nor https; fetch the files with another program"),
            (["pack", "htp://d.example/"], 64, "neither http nor https; did you mean 'http://d.example/'?"),
            (["ls", "."], 64, "'.' is a folder, not a package; if it is a cache, name it with '--cache'"),
            (["pack", "docs.example/a"], 64, "did you mean 'https://docs.example/a'?"),
            (["pack", "docs.example:80/a"], 64, "did you mean 'http://docs.example:80/a'?"),
            (["pack", "docs.example:443/a"], 64, "did you mean 'https://docs.example:443/a'?"),
            (["pack", "localhost:3000"], 64, "did you mean 'http://localhost:3000'?"),
            (["pack", "192.168.1.5/a"], 64, "did you mean 'http://192.168.1.5/a'?"),
            (["pack", "./nonexistent"], 64, "there is no folder './nonexistent'; to crawl a site, write its URL"),
            (["pack", "http://u:p@d.example/"], 64, "the URL has credentials"),
            (["pack", "--folder", "/nonexistent", "--base-url", "http://d.example"], 11, "/nonexistent"),
            (["pack", "--folder", "/nonexistent"], 11, "error: cannot "),
            (["push", "/nonexistent.zip", "oci://d.example/a"], 11, "/nonexistent.zip"),
            (["pack", "http://d.example/", "--report", "x.txt"], 64, "'x.txt' must end in '.html'"),
            (["pack", "--folder", "x", "--dry-run"], 64, "'--dry-run' is for crawls; remove it to pack a folder"),
            (["pack", "http://d.example/", "--max-bytes", "many"], 64, "'many' is not a size; write bytes, or"),
            (["pack", "http://d.example/", "--timeout", "soon"], 64, "'soon' is not a duration; write seconds, or"),
            (["pack", "http://d.example/", "--header", "s3cret"], 64, "error: '--header': not a header field; write"),
            (["pack", "http://d.example/", "--query", "utm_*"], 64, "'ignore', or 'drop=NAME' to remove a parameter"),
            (["pack", "http://d.example/", "--query", "ignore", "--query", "keep"], 64, "contradict each other"),
            (["pack", "--folder", "x", "--fallback", "a=500"], 64, "'a=500' must be a path below the folder, and may"),
            (["pack", "--folder", "x", "--fallback", "a", "--fallback", "b"], 64, "two pages with the same status"),
            (["pack", "--folder", "x", "--last-modified", "1h"], 64, "write 'file', 'now', '+1h', '-7d', or a date"),
            (["record", "--port", "1", "--", "true"], 64, "'--port' needs '--listen'"),
            (["pack", "http://d.example/", "--traps", "0"], 64, "'0' is neither 'off' nor a number"),
            (
                ["pack", "http://d.example/", "--update", "--max-removed", "120%"], 64,
                "'--max-removed' must be a number such as 100, or a percentage such as 20%"
            ),
            (["pack", "http://d.example/", "--max-removed", "20%"], 64, "'--max-removed' needs '--update'"),
            (
                ["pack", "http://d.example/", "--update", "--update-from", "x.zip"], 64,
                "'--update' updates the package that '-o' names, and '--update-from' another one; use one of them"
            ),
            (
                ["pack", "http://d.example/", "--update", "-o", "-"], 64,
                "'--update' needs a package that it can read; name a file with '-o'"
            ),
            (
                ["pack", "http://d.example/", "-o", "new.zip", "--update", "old.zip"], 64,
                "'old.zip' is a file, not a URL: '--update' takes no value and updates the package that '-o' names; name "
                    + "another older package with '--update-from'"
            ),
            (
                ["pack", "http://d.example/", "--symlink-root", "x"], 64,
                "'--symlink-root' is for folders; remove it to crawl, or name a folder"
            ),
            (["pack", "http://d.example/", "--browser", "x"], 64, "'--browser' needs '--render'"),
            (["pack", "http://d.example/", "--render", "--dry-run"], 64, "'--dry-run' opens no browser"),
            (["pack", "--list", "/nonexistent"], 11, "/nonexistent"),
            (["pack", "http://d.example/", "--cacert", "/nonexistent"], 11, "/nonexistent"),
            (
                ["pack", "http://d.example/", "--proxy", "u:s3cret@p.example:1"], 64,
                "put 'user:password' in AFCACHE_PROXY_BASIC"
            ),
            (["pack", "http://d.example/", "--proxy", "ftp://p.example"], 64, "isn't of the form http://host:port"),
            (["load", "/nonexistent.zip"], 11, "/nonexistent.zip"),
            (["load", "https://d.example/p.zip", "--cache", "c", "--cacert", "/nonexistent"], 11, "/nonexistent"),
            (["load", "http://d.example/p.zip", "--cache", "c"], 64, "accept the risk with '--allow-http'"),
            (["load", "http://d.example/p.zip", "--cache", "c", "--insecure"], 64, "with '--allow-http'"),
            (["serve", "--cache", "c", "--forward-proxy", "--cacert", "/nonexistent"], 11, "/nonexistent"),
            (["serve", "--cache", "c", "--forward-proxy", "--origin", "http://d.example/"], 64, "can't be combined"),
            (
                ["ls", "/nonexistent.zip"], 11,
                "error: cannot open '/nonexistent.zip': No such file or directory"
            ),
            (["ls", "--cache", "/nonexistent"], 12, "there is no cache here"),
            (["get", "http://d.example/", "--cache", "/nonexistent"], 12, "there is no cache here"),
            (["get", "http://d.example:99999/", "--cache", "/nonexistent"], 64, "is not an absolute URL"),
            (["serve", "--cache", "/nonexistent"], 12, "there is no cache here"),
            (["serve", "--cache", "c", "--preserve-host"], 64, "'--preserve-host' needs '--origin'"),
            (["serve", "--cache", "c", "--trusted-proxy", "::1"], 64, "'--trusted-proxy' needs '--origin'"),
            (["serve", "--cache", "c", "--trusted-proxy", "10.0.0.1/8"], 64, "'10.0.0.1/8' is not a value for"),
            (
                ["serve", "--site", "https://d.example/", "--origin", "http://127.0.0.1:1"], 64,
                "'--site' can't be combined"
            ),
            (["serve", "--site", "d.example"], 64, "write one such as https://docs.example/"),
            (["serve", "--own-pages", "admin.lan"], 64, "'--own-pages' needs '--site'"),
            (["serve", "--server-name", "http://school.lan/"], 64, "is no host name"),
            (["open", "nothing-of-this-name", "--no-browser"], 64, "there is no file 'nothing-of-this-name'"),
            (["open", "nothing", "--again"], 64, "'--again' is for URLs"),
            (["ls", "p.zip", "--received"], 64, "'--received' lists a cache"),
            (["ca", "show", "--ca", "/nonexistent"], 11, "create an authority with 'afcache ca create --ca DIR'"),
            (["ca", "create", "--ca", "/nonexistent/ca", "--host", "*.d.example"], 64, "so wildcards are not"),
            (
                ["ca", "create", "--valid-for", "3651d"], 64,
                "'--valid-for': '3651d' must be whole days; write '1d' to '3650d'"
            ),
            (["lint"], 64, "files"), (["frobnicate"], 64, "there is no command 'frobnicate'; 'afcache --help' lists"),
            (["help", "lnit"], 64, "there is no command 'lnit'; did you mean 'lint'?"),
            (["unpack", "/nonexistent.zip"], 11, "/nonexistent.zip"),
        ] as [([String], Int32, String)]
    )
    func `an error is one sentence on standard error and a documented exit code`(
        arguments: [String],
        status: Int32,
        sentence: String
    ) throws {
        // A folder that whoever runs this can write to.
        let scratch = try Scratch()
        let result = try Program.run(Program.afcache, arguments, in: scratch.path)
        #expect(result.status == status, "\(result.errors)")
        #expect(result.errors.contains(sentence), "\(result.errors)")
        #expect(result.errors.hasPrefix("error: "))
        #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
        #expect(result.output.isEmpty)
        #expect(!result.errors.contains("\u{1B}"))
    }
}
