import AFCText
import Foundation
import TestSupport
import Testing

/// `afcache image` and `afcache serve --probe`; scripts/test-image runs the images.
struct ImageTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try scratch.write(Array("<title>Docs</title>".utf8), to: "in/index.html")
        try pack("docs.zip", "https://docs.example/")
    }

    private func pack(_ name: String, _ site: String) throws {
        let packed = try Program.run(
            Program.afcache,
            ["pack", "--folder", "in", "--base-url", site, "-o", name, "--quiet"],
            in: scratch.path,
            environment: ["SOURCE_DATE_EPOCH": "1700000000"]
        )
        try #require(packed.status == 0, "\(packed.errors)")
    }

    /// Makes an image with a program that is smaller than this one.
    private func image(_ arguments: String...) throws -> ProgramResult {
        try Program.run(Program.afcache, ["image"] + arguments + ["--program", "/bin/sh"], in: scratch.path)
    }

    private func blob(_ folder: String, _ digest: String?) throws -> JSONValue {
        try JSONValue(parsing: scratch.read("\(folder)/blobs/sha256/\((digest ?? "sha256:x").dropFirst(7))"))
    }

    @Test func `an image serves the site of its package, and the same package gives the same image`() throws {
        let made = try image("docs.zip", "-o", "oci-layout:one:2", "--label", "org.opencontainers.image.version=2")
        #expect(made.status == 0, "\(made.errors)")
        let digest = String(made.text.dropLast().suffix(71))
        #expect(made.text.hasPrefix("wrote oci-layout:one:2: linux/"), "\(made.text)")
        let manifest = try blob("one", digest)
        let config = try blob("one", manifest["config"]?["digest"]?.string)
        #expect(
            config["config"]?["Entrypoint"]?.array?.map(\.string) == [
                "/usr/bin/afcache", "serve", "/srv/afcache/docs.zip", "--site", "https://docs.example/", "--listen",
                "0.0.0.0", "--mount-cache", "none", "--no-search",
            ]
        )
        #expect(config["config"]?["Healthcheck"]?["Test"]?.array?.last?.string == "--probe")
        let labels = try #require(config["config"]?["Labels"])
        #expect(labels["org.opencontainers.image.title"]?.string == "docs")
        #expect(labels["org.opencontainers.image.created"]?.string == "2023-11-14T22:13:20Z")
        #expect(labels["org.opencontainers.image.version"]?.string == "2")
        let listed = try Program.run(Program.afcache, ["info", "docs.zip", "--json"], in: scratch.path)
        #expect(
            labels["io.afcache.package.digest"]?.string == (try JSONValue(parsing: listed.output))["digest"]?.string
        )
        // The package is in the image byte for byte.
        let layer = try #require(manifest["layers"]?.array?.last?["digest"]?.string).dropFirst(7)
        let extracted = try Program.run(
            "tar",
            ["-xOf", scratch.path("one/blobs/sha256/\(layer)"), "srv/afcache/docs.zip"]
        )
        #expect(extracted.output == (try scratch.read("docs.zip")))
        let again = try image(
            "docs.zip",
            "-o",
            "oci-layout:two:2",
            "--json",
            "--label",
            "org.opencontainers.image.version=2"
        )
        let json = try JSONValue(parsing: again.output)
        #expect(json["manifest"]?.string == digest)
        #expect(json["output"]?.string == "oci-layout:two:2")
        #expect(json["pushed"] == .null)
        #expect(try Program.run("diff", ["-r", "one", "two"], in: scratch.path).status == 0)
    }

    @Test func `the site of several packages must be chosen`() throws {
        try pack("manual.zip", "https://manual.example/")
        let refused = try image("docs.zip", "manual.zip", "-o", "oci-layout:l")
        #expect(refused.status == 64)
        #expect(
            refused.errors
                == "error: the packages have several sites, https://docs.example, https://manual.example; choose one with '--site'\n"
        )
        #expect(!scratch.names.contains("l"))
        let made = try image("docs.zip", "manual.zip", "-o", "oci-layout:l", "--site", "https://manual.example/")
        #expect(made.status == 0, "\(made.errors)")
    }

    @Test(
        arguments: [
            (["docs.zip"], 64, "say where the image goes, with '-o oci-layout:FOLDER' or '--push oci://HOST/NAME:TAG'"),
            (["docs.zip", "-o", "l"], 64, "write '-o oci-layout:l'"),
            (["docs.zip", "-o", "oci://r.example/docs"], 64, "use '--push oci://r.example/docs' for a registry"),
            (["docs.zip", "--push", "r.example/docs"], 64, "write one such as oci://registry.example/docs:2"),
            (["docs.zip", "-o", "oci-layout:l", "--label", "=2"], 64, "has no key; write KEY=VALUE"),
            (
                ["docs.zip", "-o", "oci-layout:l", "--base-image", "debian"], 64,
                "write oci-layout:FOLDER or oci://HOST/NAME:TAG"
            ),
            (
                ["docs.zip", "in/../docs.zip", "-o", "oci-layout:l"], 64,
                "two packages have the name 'docs.zip'; rename"
            ),
            (["docs.zip", "-o", "oci-layout:l", "--site", "x"], 64, "write one such as https://docs.example/"),
            (
                ["docs.zip", "-o", "oci-layout:l", "--site", "https://d.example/"], 64,
                "nothing of 'https://d.example/' is in the packages; they have https://docs.example"
            ),
            (["in/index.html", "-o", "oci-layout:l"], 10, "error: cannot use 'in/index.html'"),
            (["none.zip", "-o", "oci-layout:l"], 11, "none.zip"),
            (["docs.zip", "-o", "oci-layout:in"], 11, "such as 'index.html'; name a new or empty one"),
            (["docs.zip", "-o", "oci-layout:l", "--base-image", "oci-layout:b"], 11, "b/index.json"),
        ] as [([String], Int32, String)]
    )
    func `what can't be an image is refused, and nothing is written`(
        arguments: [String],
        status: Int32,
        sentence: String
    ) throws {
        let result = try Program.run(
            Program.afcache,
            ["image"] + arguments + ["--program", "/bin/sh"],
            in: scratch.path
        )
        #expect(result.status == status, "\(result.errors)")
        #expect(result.errors.contains(sentence), "\(result.errors)")
        #expect(result.errors.hasPrefix("error: ") && result.errors.split(separator: "\n").count == 1)
        #expect(result.output.isEmpty)
        #expect(scratch.names == ["docs.zip", "in"])
    }

    @Test func `a program for another system is refused with the option that names one`() throws {
        let result = try Program.run(
            Program.afcache,
            ["image", "docs.zip", "-o", "oci-layout:l", "--program", "in/index.html"],
            in: scratch.path
        )
        #expect(result.status == 11)
        #expect(
            result.errors
                == "error: cannot use 'in/index.html': this is not a program for Linux (an ELF file); name one for Linux with '--program'\n"
        )
    }

    @Test func `a probe says if a server is healthy`() async throws {
        let server = try RunningProgram(
            Program.afcache,
            [
                "serve", scratch.path("docs.zip"), "--site", "https://docs.example/", "--mount-cache", "none", "--port",
                "0",
            ]
        )
        let line = try #require(try await server.firstLine())
        let port = try #require(line.split(separator: ":").last?.prefix { $0.isNumber })
        for address in ["127.0.0.1", "0.0.0.0"] {
            let asked = try Program.run(
                Program.afcache,
                ["serve", "--probe", "--listen", address, "--port", "\(port)"]
            )
            #expect(asked.status == 0 && asked.text == "ok\n", "\(asked.errors)")
        }
        #expect(server.stop() == 0)
        let late = try Program.run(Program.afcache, ["serve", "--probe", "--port", "\(port)"])
        #expect(late.status == 1)
        #expect(late.errors == "unhealthy: http://127.0.0.1:\(port)/.afcache/healthz: the server doesn't answer\n")
        #expect(late.output.isEmpty)
    }
}
