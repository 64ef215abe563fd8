import Foundation
import TestSupport
import Testing

/// Keys, signatures and passwords through the built program.
struct TrustTests {
    static let key = #"made key ([0-9a-f]{16}): 'news' to sign with, 'news\.pub' to trust\n"#

    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try scratch.write(Array("<p>a page</p>\n".utf8), to: "site/index.html")
        try scratch.write((0...255).map { $0 }, to: "site/noise.bin")
    }

    func afcache(_ arguments: String..., environment: [String: String] = [:]) throws -> ProgramResult {
        try Program.run(Program.afcache, arguments, in: scratch.path, environment: environment)
    }

    func pack(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws -> ProgramResult {
        try Program.run(
            Program.afcache,
            ["pack", "--folder", "site", "--base-url", "http://d.example", "-o", name] + arguments,
            in: scratch.path,
            environment: environment
        )
    }

    func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: scratch.path(name))
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
    }

    /// Runs a command with a terminal of its own, on which the lines are typed once something is asked for.
    func onTerminal(_ lines: [String], _ arguments: [String]) throws -> ProgramResult {
        let script = """
            import os, pty, sys
            lines, command = sys.argv[1].split("|"), sys.argv[2:]
            pid, terminal = pty.fork()
            if pid == 0: os.execvp(command[0], command)
            seen = b""
            while True:
                try: data = os.read(terminal, 4096)
                except OSError: break
                if not data: break
                seen += data
                if lines and data.rstrip(b" ").endswith(b":"): os.write(terminal, lines.pop(0).encode() + b"\\n")
            print(seen.decode())
            sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
            """
        return try Program.run(
            "python3",
            ["-c", script, lines.joined(separator: "|"), Program.afcache] + arguments,
            in: scratch.path
        )
    }

    @Test func `keygen makes a private key for its owner and a public one, and replaces neither`() throws {
        let made = try afcache("keygen", "-o", "news", "--comment", "news desk")
        #expect(made.status == 0, "\(made.errors)")
        #expect(try Regex(Self.key).wholeMatch(in: made.text) != nil, "\(made.text)")
        #expect(try mode("news") == 0o600)
        #expect(try mode("news.pub") == 0o644)
        let (secret, open) = (try scratch.read("news"), try scratch.read("news.pub"))
        #expect(String(decoding: secret, as: UTF8.self).hasPrefix("afcache-ed25519-private "))
        #expect(String(decoding: open, as: UTF8.self).hasSuffix(" news desk\n"))
        let again = try afcache("keygen", "-o", "news")
        #expect(again.status == 11)
        #expect(again.errors.contains("a key is never replaced"))
        #expect(try scratch.read("news") == secret)
        try FileManager.default.removeItem(atPath: scratch.path("news.pub"))
        #expect(try afcache("keygen", "-o", "news").status == 11)
        #expect(try scratch.read("news") == secret)
        #expect(!scratch.names.contains("news.pub"))
    }

    @Test func `a key that other users can read signs with a warning`() throws {
        #expect(try afcache("keygen", "-o", "news").status == 0)
        #expect(try pack("p.zip", ["--sign", "news"]).errors == "")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: scratch.path("news"))
        let result = try pack("p.zip", ["--sign", "news"])
        #expect(result.status == 0)
        #expect(result.errors.contains("warning: other users can read the private key 'news'"))
    }

    @Test func `lint shows the signers, and with --require-signature the required ones`() throws {
        for name in ["news", "desk", "other"] {
            #expect(try afcache("keygen", "-o", name, "--comment", name).status == 0)
        }
        #expect(try pack("p.zip", ["--sign", "news", "--sign", "desk"]).status == 0)
        let known = try afcache("lint", "p.zip", "--require-signature", "--trust", "news.pub")
        #expect(known.status == 0)
        #expect(known.errors.contains("signed by 'news' "), "\(known.errors)")
        #expect(known.errors.contains(" (not trusted) on "), "\(known.errors)")
        let json = try afcache("lint", "p.zip", "--format", "json", "--trust", "news.pub", "--trust", "desk.pub")
        #expect(json.text.components(separatedBy: #""trusted":true"#).count == 3, "\(json.text)")
        let unknown = try afcache("lint", "p.zip", "--require-signature", "--trust", "other.pub")
        #expect(unknown.status == 1)
        #expect(unknown.text.contains("[signature.untrusted]"))
        #expect(try afcache("ls", "p.zip", "--require-signature", "--trust", "other.pub").status == 15)
        #expect(try afcache("ls", "p.zip", "--require-signature", "--trust", "desk.pub").status == 0)
        #expect(try pack("q.zip", []).status == 0)
        let unsigned = try afcache("lint", "q.zip", "--require-signature", "--trust", "news.pub")
        #expect(unsigned.text.contains("[signature.missing]"))
    }

    @Test func `a package that was changed after it was signed is refused by all`() throws {
        #expect(try afcache("keygen", "-o", "news").status == 0)
        #expect(try pack("p.zip", ["--sign", "news"]).status == 0)
        #expect(try afcache("export", "p.zip", "-o", "p.html").status == 0)
        let page = String(decoding: try scratch.read("p.html"), as: UTF8.self)
        #expect(page.contains(#/ · packed [-0-9]{10} · signed by [0-9a-f]{16}</#), "the file says by which key")
        try scratch.write(Array("more".utf8), to: "more")
        #expect(try Program.run("zip", ["-q", "p.zip", "more"], in: scratch.path).status == 0)
        let lint = try afcache("lint", "p.zip")
        #expect(lint.status == 1)
        #expect(lint.text.contains("[signature.wrong]"), "\(lint.text)")
        let list = try afcache("ls", "p.zip", "--trust", "news.pub")
        #expect(list.status == 15)
        #expect(list.output.isEmpty)
        let export = try afcache("export", "p.zip", "-o", "q.html")
        #expect(export.status == 15 && !scratch.names.contains("q.html"), "\(export.errors)")
    }

    @Test func `two signed packs of one site are identical`() throws {
        #expect(try afcache("keygen", "-o", "news").status == 0)
        let epoch = ["SOURCE_DATE_EPOCH": "1700000000"]
        #expect(try pack("one.zip", ["--sign", "news"], environment: epoch).status == 0)
        #expect(try pack("two.zip", ["--sign", "news"], environment: epoch).status == 0)
        #expect(try scratch.read("one.zip") == scratch.read("two.zip"))
    }

    @Test func `a password comes from a file, from the environment, or is typed unseen`() throws {
        try scratch.write(Array("open sesame\r\nsecond line\n".utf8), to: "pw")
        let made = try pack("p.zip", ["--encrypt", "--password-file", "pw"])
        #expect(made.status == 0, "\(made.errors)")
        let plain = try Program.run("7z", ["l", "-slt", "p.zip"], in: scratch.path)
        #expect(plain.text.contains("Method = AES-256"), "\(plain.text)")
        #expect(!plain.text.contains("Encrypted = -"), "\(plain.text)")
        #expect(try Program.run("7z", ["t", "-popen sesame", "p.zip"], in: scratch.path).status == 0)
        #expect(try afcache("ls", "p.zip", "--password-file", "pw").status == 0)
        #expect(try afcache("ls", "p.zip", environment: ["AFCACHE_PASSWORD": "open sesame"]).status == 0)
        #expect(try afcache("lint", "p.zip", environment: ["AFCACHE_PASSWORD": "open sesame"]).status == 0)
        let typed = try onTerminal(["open sesame"], ["ls", "p.zip"])
        #expect(typed.status == 0, "\(typed.text)")
        #expect(typed.text.contains("http://d.example/index.html"))
        #expect(!typed.text.contains("sesame"))
        #expect(try onTerminal(["open sesame"], ["lint", "p.zip"]).status == 0)
        let both = try onTerminal(
            ["typed one", "typed one"],
            ["pack", "--folder", "site", "--encrypt", "-o", "q.zip"]
        )
        #expect(both.status == 0, "\(both.text)")
        #expect(try afcache("ls", "q.zip", environment: ["AFCACHE_PASSWORD": "typed one"]).status == 0)
        let different = try onTerminal(["one", "two"], ["pack", "--folder", "site", "--encrypt", "-o", "r.zip"])
        #expect(different.status == 64)
        #expect(different.text.contains("the two passwords differ"))
        #expect(!scratch.names.contains("r.zip"))
        // Control-C while a password is typed.
        #expect(try onTerminal(["ope\u{03}"], ["ls", "p.zip"]).status == 130)
    }

    @Test func `a missing or wrong password has a sentence and an exit code of its own`() throws {
        #expect(try pack("p.zip", ["--encrypt"], environment: ["AFCACHE_PASSWORD": "right"]).status == 0)
        // setsid takes the terminal away that the tests may have been started from.
        let missing = try Program.run("setsid", ["-w", Program.afcache, "ls", "p.zip"], in: scratch.path)
        #expect(missing.status == 16)
        #expect(missing.errors.contains("give its password; use '--password-file'"), "\(missing.errors)")
        let wrong = try afcache("ls", "p.zip", environment: ["AFCACHE_PASSWORD": "wrong"])
        #expect(wrong.status == 16)
        #expect(wrong.errors.contains("the password is wrong for member"), "\(wrong.errors)")
        let lint = try afcache("lint", "p.zip", environment: ["AFCACHE_PASSWORD": "wrong"])
        #expect(lint.status == 1)
        #expect(lint.text.contains("[zip.password-wrong]"))
        let none = try Program.run(
            "setsid",
            ["-w", Program.afcache, "pack", "--folder", "site", "--encrypt", "-o", "q.zip"],
            in: scratch.path
        )
        #expect(none.status == 64)
        #expect(!scratch.names.contains("q.zip"))
    }

    @Test func `a package that is signed and encrypted keeps its signature when it is decrypted`() throws {
        #expect(try afcache("keygen", "-o", "news").status == 0)
        let password = ["AFCACHE_PASSWORD": "right"]
        #expect(try pack("p.zip", ["--sign", "news", "--encrypt"], environment: password).status == 0)
        let trust = ["--require-signature", "--trust", "news.pub"]
        let locked = try Program.run(
            Program.afcache,
            ["lint", "p.zip"] + trust,
            in: scratch.path,
            environment: password
        )
        #expect(locked.status == 0, "\(locked.text)")
        #expect(try Program.run("7z", ["x", "-pright", "-oout", "p.zip"], in: scratch.path).status == 0)
        let zip = try Program.run("zip", ["-q", "-D", "-r", "../plain.zip", "."], in: scratch.path("out"))
        #expect(zip.status == 0)
        let plain = try Program.run(Program.afcache, ["lint", "plain.zip"] + trust, in: scratch.path)
        #expect(plain.status == 0, "\(plain.text)")
    }

    @Test(
        arguments: [
            (["keygen"], "--output"), (["keygen", "-o", "x/"], "'--output' must name a file"),
            (["lint", "p.zip", "--require-signature"], "'--require-signature' needs '--trust'"),
            (["lint", "p.zip", "--trust", "site/index.html"], "line 1 is not a public key"),
            (["lint", "p.zip", "--skip-bodies", "--require-signature", "--trust", "x"], "remove '--skip-bodies'"),
            (["ls", "--cache", "s", "--trust", "x"], "are for packages"),
            (["pack", "--folder", "site", "--sign", "site/index.html"], "it is not a private key"),
            (["pack", "--folder", "site", "--sign", "x", "--no-sidecar"], "a signature is kept in the sidecar"),
            (["pack", "--folder", "site", "--password-file", "x"], "'--password-file' needs '--encrypt'"),
            (["pack", "--folder", "site", "--encrypt", "--password-file", "/dev/null"], "is not a password"),
        ] as [([String], String)]
    )
    func `wrong options are reported in one sentence`(arguments: [String], sentence: String) throws {
        let result = try Program.run(Program.afcache, arguments, in: scratch.path)
        #expect(result.status == 64, "\(result.errors)")
        #expect(result.errors.contains(sentence), "\(result.errors)")
        #expect(result.output.isEmpty)
    }
}
