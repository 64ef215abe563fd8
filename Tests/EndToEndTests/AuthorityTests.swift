import Foundation
import TestSupport
import Testing

/// The local authority through the built program.
struct AuthorityTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    func ca(_ arguments: String..., environment: [String: String] = [:]) throws -> ProgramResult {
        try Program.run(Program.afcache, ["ca"] + arguments, in: scratch.path, environment: environment)
    }

    func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: scratch.path(name))
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
    }

    func openssl(_ arguments: String...) throws -> ProgramResult {
        try Program.run("openssl", arguments, in: scratch.path)
    }

    @Test func `create makes two files, show names them, export gives the certificate alone`() throws {
        let made = try ca(
            "create",
            "--ca",
            "ca",
            "--common-name",
            "test",
            "--host",
            "Docs.example",
            "--valid-for",
            "30d"
        )
        #expect(made.status == 0)
        #expect(made.errors.isEmpty, "\(made.errors)")
        #expect(made.text.hasPrefix("made 'afcache local authority (test, 2"))
        #expect(try mode("ca") == 0o700)
        #expect(try mode("ca/key.pem") == 0o600)
        #expect(try mode("ca/certificate.pem") == 0o644)
        let printed = try openssl("x509", "-in", "ca/certificate.pem", "-noout", "-fingerprint", "-sha256").text
        let fingerprint = try #require(printed.split(separator: "=").last).trimmingCharacters(in: .newlines)
        let shown = try ca("show", "--ca", "ca")
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(made.text.contains(fingerprint))
        for line in [
            "SHA-256      \(fingerprint)\n", "hosts        docs.example\n", "certificate  ca/certificate.pem\n",
            "key          ca/key.pem\n",
        ] {
            #expect(shown.text.contains(line), "\(shown.text)")
        }
        let pem = try ca("export", "--ca", "ca")
        #expect(pem.output == (try scratch.read("ca/certificate.pem")))
        let der = try ca("export", "--ca", "ca", "--format", "der")
        try scratch.write(der.output, to: "ca.crt")
        let read = try openssl("x509", "-inform", "DER", "-in", "ca.crt", "-noout", "-checkend", "\(29 * 86400)")
        #expect(read.status == 0)
        let late = try openssl("x509", "-inform", "DER", "-in", "ca.crt", "-noout", "-checkend", "\(31 * 86400)")
        #expect(late.status == 1)
    }

    @Test(arguments: ["0000", "0077"])
    func `the modes don't depend on the mask of the process`(mask: String) throws {
        let script = "umask \(mask); exec \"$0\" ca create --ca a/ca --host docs.example"
        let made = try Program.run("sh", ["-c", script, Program.afcache], in: scratch.path)
        #expect(made.status == 0, "\(made.errors)")
        #expect(try mode("a/ca/key.pem") == 0o600)
        #expect(try mode("a/ca/certificate.pem") == 0o644)
        #expect(try mode("a/ca") & 0o077 == 0)
    }

    @Test func `show --json is a document with these members`() throws {
        #expect(try ca("create", "--ca", "ca", "--host", "docs.example", "--host", "127.0.0.1").status == 0)
        let shown = try ca("show", "--ca", "ca", "--json")
        let document = try JSONSerialization.jsonObject(with: Data(shown.output)) as? [String: Any]
        let object = try #require(document, "\(shown.text)")
        #expect(
            object.keys.sorted() == [
                "certificate", "hosts", "key", "name", "notAfter", "notBefore", "problem", "serial", "sha256",
                "subject",
            ]
        )
        #expect(object["hosts"] as? [String] == ["docs.example", "127.0.0.1"])
        #expect(object["problem"] is NSNull)
        #expect(object["key"] as? String == "ca/key.pem")
    }

    @Test func `making an authority for any host causes a warning`() throws {
        let made = try ca("create", "--ca", "ca")
        #expect(made.status == 0)
        #expect(made.errors.hasPrefix("warning: the authority may sign for any host"), "\(made.errors)")
        #expect(try ca("show", "--ca", "ca").text.contains("hosts        any\n"))
    }

    @Test func `create replaces nothing without --overwrite`() throws {
        #expect(try ca("create", "--ca", "ca", "--host", "docs.example").status == 0)
        let before = (try scratch.read("ca/key.pem"), try scratch.read("ca/certificate.pem"))
        let again = try ca("create", "--ca", "ca", "--host", "docs.example")
        #expect(again.status == 11)
        #expect(again.errors.contains("won't trust a new one; use '--overwrite' to replace it"), "\(again.errors)")
        #expect(try scratch.read("ca/key.pem") == before.0)
        #expect(try scratch.read("ca/certificate.pem") == before.1)
        #expect(try ca("create", "--ca", "ca", "--host", "docs.example", "--overwrite").status == 0)
        #expect(try scratch.read("ca/certificate.pem") != before.1)
        #expect(try ca("show", "--ca", "ca").status == 0)
    }

    @Test func `show reports what it can, and what is wrong`() throws {
        #expect(try ca("create", "--ca", "ca", "--host", "docs.example").status == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: scratch.path("ca/key.pem"))
        let open = try ca("show", "--ca", "ca")
        #expect(open.status == 11)
        #expect(open.text.contains("hosts        docs.example\n"))
        #expect(open.errors.contains("cannot use 'ca/key.pem': other users can read the private key"))
        try FileManager.default.removeItem(atPath: scratch.path("ca/key.pem"))
        let missing = try ca("show", "--ca", "ca")
        #expect(missing.errors.contains("no such file; create an authority with 'afcache ca create --ca DIR'"))
        // The certificate alone can still be exported.
        #expect(try ca("export", "--ca", "ca").status == 0)
    }

    @Test func `a certificate that other users can change or replace is neither shown nor exported`() throws {
        #expect(try ca("create", "--ca", "ca", "--host", "docs.example").status == 0)
        for (path, mode, sentence) in [
            ("ca/certificate.pem", 0o666, "cannot use 'ca/certificate.pem': other users can change the certificate"),
            ("ca", 0o777, "cannot use 'ca': other users can write to the folder"),
        ] {
            let before = try self.mode(path)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: scratch.path(path))
            for command in ["show", "export"] {
                let refused = try ca(command, "--ca", "ca")
                #expect(refused.status == 11 && refused.errors.contains(sentence), "\(refused.errors)")
                #expect(command == "show" || refused.output.isEmpty)
            }
            try FileManager.default.setAttributes([.posixPermissions: before], ofItemAtPath: scratch.path(path))
        }
        #expect(try ca("export", "--ca", "ca").status == 0)
    }

    @Test func `the folder is the one of the user's configuration`() throws {
        let home = scratch.path("home")
        let byHome = ["HOME": home, "XDG_CONFIG_HOME": ""]
        #expect(try ca("create", "--host", "docs.example", environment: byHome).status == 0)
        #expect(try mode("home/.config/afcache/ca/key.pem") == 0o600)
        let byBase = ["HOME": home, "XDG_CONFIG_HOME": scratch.path("config")]
        #expect(try ca("show", environment: byBase).status == 11)
        #expect(try ca("create", "--host", "docs.example", environment: byBase).status == 0)
        #expect(try mode("config/afcache/ca/key.pem") == 0o600)
        #expect(
            try ca("create", "--host", "docs.example", environment: ["HOME": "", "XDG_CONFIG_HOME": "x"]).status == 64
        )
    }

    @Test func `a server for a local network has a certificate for each name, and for its address`() async throws {
        let hosts = ["--host", "school.lan", "--host", "127.0.0.1"]
        let made = try Program.run(Program.afcache, ["ca", "create", "--ca", "ca"] + hosts, in: scratch.path)
        #expect(made.status == 0)
        try scratch.write(Array("page".utf8), to: "in/index.html")
        let folder = ["pack", "--folder", scratch.path("in"), "--base-url", "https://docs.example"]
        #expect(try Program.run(Program.afcache, folder + ["-o", scratch.path("p.zip"), "--quiet"]).status == 0)
        let server = try RunningProgram(
            Program.afcache,
            [
                "serve", scratch.path("p.zip"), "--port", "0", "--tls-ca", scratch.path("ca"), "--server-name",
                "school.lan",
                "--server-name", "*.school.lan", "--quiet",
            ]
        )
        let line = try #require(try await server.firstLine(), "\(server.errors)")
        #expect(line.hasPrefix("serving at https://127.0.0.1:"))
        let port = try #require(line.dropLast().split(separator: ":").last)
        func get(_ host: String, _ path: String = "/") throws -> ProgramResult {
            let place = ["--connect-to", "\(host):\(port):127.0.0.1:\(port)", "--noproxy", "*"]
            let trust = ["-sS", "--max-time", "60", "--cacert", scratch.path("ca/certificate.pem")]
            return try Program.run("curl", trust + place + ["https://\(host):\(port)\(path)"])
        }
        #expect(try get("school.lan").text.contains("https://docs-example.school.lan:\(port)/"))
        #expect(try get("docs-example.school.lan", "/index.html").text == "page")
        #expect(try get("127.0.0.1").text.contains("Available offline"), "no name is sent to an address")
        // Neither does the authority sign for others, nor would curl accept it.
        #expect(try get("bank.example").status != 0)
        #expect(server.stop() == 0)
        let both = ["serve", scratch.path("p.zip"), "--tls-ca", "ca", "--tls-cert", "a", "--tls-key", "b"]
        let refused = try Program.run(Program.afcache, both)
        #expect(refused.status == 64)
        #expect(refused.errors.contains("'--tls-ca' can't be combined with '--tls-cert'"), "\(refused.errors)")
    }
}
