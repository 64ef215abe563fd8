import AFCHTTP
import AFCText
import AFCZip
import Foundation
import TestOrigin
import TestSupport
import Testing

@testable import AFCDelivery

/// Container images: their archives, programs and configurations, and how they get into folders and registries.
struct ImageTests {
    // MARK: Programs

    /// A program without code: the headers of an ELF file of 64 bits.
    private static func elf(machine: UInt16 = 62, type: UInt16 = 3, loader: String? = nil) -> [UInt8] {
        func number(_ value: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: value.littleEndian) { Array($0) }
        }
        let start: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0] + [UInt8](repeating: 0, count: 8)
        let table = number(UInt64(64)) + number(UInt64(0)) + number(UInt32(0))
        let sizes = number(UInt16(64)) + number(UInt16(56)) + number(UInt16(2)) + [UInt8](repeating: 0, count: 6)
        let head = start + number(type) + number(machine) + number(UInt32(1)) + number(UInt64(0)) + table + sizes
        let name = Array((loader ?? "").utf8) + [0]
        func segment(_ type: UInt32, _ place: UInt64, _ size: Int) -> [UInt8] {
            number(type) + number(UInt32(4)) + number(place) + number(UInt64(0)) + number(UInt64(0))
                + number(UInt64(size)) + number(UInt64(size)) + number(UInt64(1))
        }
        // The first segment is the table itself (PT_PHDR), the second one names the loader (PT_INTERP).
        return head + segment(6, 64, 112) + segment(loader == nil ? 1 : 3, 176, name.count) + name
    }

    @Test(
        arguments: [
            (elf(), "amd64", nil), (elf(machine: 183, type: 2), "arm64", nil),
            (elf(loader: "/lib64/ld-linux-x86-64.so.2"), "amd64", "/lib64/ld-linux-x86-64.so.2"),
            (elf(machine: 183, loader: "/lib/ld-linux-aarch64.so.1"), "arm64", "/lib/ld-linux-aarch64.so.1"),
        ] as [([UInt8], String, String?)]
    )
    func `a program says which processor and which loader it needs`(bytes: [UInt8], processor: String, loader: String?)
        throws
    {
        let form = try ExecutableForm(bytes)
        #expect(form.architecture == processor)
        #expect(form.loader == loader)
    }

    @Test(arguments: [
        (Array("#!/bin/sh\n".utf8), "this is not a program for Linux (an ELF file)"),
        ([], "this is not a program for Linux (an ELF file)"),
        (elf(machine: 3), "this program is for another processor than x86-64 and 64-bit Arm"),
        (elf(type: 1), "this ELF file is not a program"),
        (Array(elf().prefix(40)), "the headers of this program are damaged"),
        (Array(elf().prefix(100)), "the headers of this program are damaged"),
        (Array(elf(loader: "/lib/ld.so").dropLast(4)), "the headers of this program are damaged"),
        (elf(loader: "ld.so"), "the headers of this program are damaged"),
    ])
    func `what isn't a program for Linux is refused with the reason`(bytes: [UInt8], reason: String) {
        let error = #expect(throws: ExecutableForm.Problem.self) { try ExecutableForm(bytes) }
        #expect(error?.message == reason)
    }

    @Test func `the list of glibc's loader is read`() {
        let list = LoaderList(
            """
            \tlinux-vdso.so.1 (0x00007fac23e6000)
            \tlibz.so.1 => /lib/x86_64-linux-gnu/libz.so.1 (0x00007fac2380000)
            \tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007fac219e000)
            \t/opt/a b/libown.so (0x00007fac2104000)
            \tlibgone.so.3 => not found
            \t/lib64/ld-linux-x86-64.so.2 (0x00007fac23e8000)
            """,
            loader: "/lib64/ld-linux-x86-64.so.2"
        )
        #expect(list.libraries.map(\.name) == ["libc.so.6", "libz.so.1"])
        #expect(list.cLibrary == "/lib/x86_64-linux-gnu/libc.so.6")
        #expect(list.missing == ["libgone.so.3"])
    }

    @Test func `the list of musl's loader is read, which is the C library itself`() {
        let list = LoaderList(
            """
            \t/lib/ld-musl-x86_64.so.1 (0x7f0c1a2b3000)
            \tlibz.so.1 => /usr/lib/libz.so.1 (0x7f0c1a200000)
            \tlibc.musl-x86_64.so.1 => /lib/ld-musl-x86_64.so.1 (0x7f0c1a2b3000)
            """,
            loader: "/lib/ld-musl-x86_64.so.1"
        )
        #expect(list.libraries == [.init(name: "libz.so.1", path: "/usr/lib/libz.so.1")])
        #expect(list.cLibrary == nil)
        #expect(list.missing.isEmpty)
    }

    // MARK: Archives

    @Test(arguments: [true, false]) func `tar reads a layer as it was written`(isCompressed: Bool) throws {
        let scratch = try Scratch()
        let long = "srv/" + String(repeating: "long/", count: 30) + "page.zip"
        try scratch.write(Array("program".utf8), to: "program")
        try scratch.write([UInt8](repeating: 7, count: 3 << 20), to: "large")
        let layer = try LayerWriter(in: scratch.path, isCompressed: isCompressed, modified: 1_700_000_000)
        try layer.add(.init(path: "usr/bin/afcache", source: scratch.path("program"), mode: 0o755))
        try layer.add(.init(path: long, source: scratch.path("large"), mode: 0o644))
        try layer.add(.init(path: "srv/ä.zip", source: scratch.path("program"), mode: 0o600))
        try layer.add(folder: "tmp", mode: 0o1777)
        let written = try layer.finish()
        let file = scratch.path(String(written.digest.dropFirst(7)))
        let list = try Program.run(
            "env",
            ["TZ=UTC", "LC_ALL=C.UTF-8", "tar", "--numeric-owner", "--full-time", "-tvf", file]
        )
        let rows = list.text.split(separator: "\n").map { $0.split(separator: " ", omittingEmptySubsequences: true) }
        let times = Set(rows.map { $0[3] + " " + $0[4] })
        #expect(times == ["2023-11-14 22:13:20"], "\(list.text)\(list.errors)")
        #expect(Set(rows.map { $0[1] }) == ["0/0"])
        let found = rows.map { [String($0[0]), String($0[2]), String($0[5])] }
        #expect(
            Array(found.prefix(4)) == [
                ["drwxr-xr-x", "0", "usr/"], ["drwxr-xr-x", "0", "usr/bin/"], ["-rwxr-xr-x", "7", "usr/bin/afcache"],
                ["drwxr-xr-x", "0", "srv/"],
            ]
        )
        #expect(
            Array(found.suffix(3)) == [
                ["-rw-r--r--", "3145728", long], ["-rw-------", "7", "srv/ä.zip"], ["drwxrwxrwt", "0", "tmp/"],
            ]
        )
        let extracted = try Program.run("tar", ["-xOf", file, long])
        #expect(extracted.output == [UInt8](repeating: 7, count: 3 << 20))
        // The digests are those of other programs.
        let sum = try Program.run("bash", ["-c", "sha256sum <\(file)"]).text.prefix(64)
        #expect(written.digest == "sha256:" + sum)
        let open = isCompressed ? "gzip -dc <\(file)" : "cat <\(file)"
        #expect(
            written.contents == "sha256:" + (try Program.run("bash", ["-c", open + " | sha256sum"]).text.prefix(64))
        )
        #expect(written.size == Int64(try scratch.read(String(written.digest.dropFirst(7))).count))
        #expect(written.type == ImageLayer.plainType + (isCompressed ? "+gzip" : ""))
    }

    @Test func `a size above 8 GiB is in an extended header`() {
        let small = TarHeader.blocks(path: "a", .file(size: 0o777_7777_7777), mode: 0o644, modified: 0)
        #expect(small.count == 512)
        #expect(String(decoding: small[124..<135], as: UTF8.self) == "77777777777")
        let large = TarHeader.blocks(path: "a", .file(size: 8_589_934_592), mode: 0o644, modified: -5)
        #expect(large.count == 1536)
        #expect(large[156] == UInt8(ascii: "x"))
        #expect(String(decoding: large[512..<531], as: UTF8.self) == "19 size=8589934592\n")
        #expect(String(decoding: large[1160..<1171], as: UTF8.self) == "00000000000", "the time is 1970")
        #expect([0, 1, 511, 512, 513].map { TarHeader.padding(after: $0) } == [0, 511, 1, 0, 511])
    }

    @Test func `an unfinished layer leaves nothing`() throws {
        let scratch = try Scratch()
        do {
            let layer = try LayerWriter(in: scratch.path, isCompressed: true, modified: 0)
            #expect(throws: ZipError.self) {
                try layer.add(.init(path: "a", source: scratch.path("missing"), mode: 0o644))
            }
            #expect(scratch.names.count == 1)
        }
        #expect(scratch.names.isEmpty)
    }

    // MARK: Images

    private static func loader(_ words: [String]) throws -> (status: Int32, output: [UInt8]) {
        let result = try Program.run(words[0], Array(words.dropFirst()))
        return (result.status, Array(result.output))
    }

    private static func image(_ scratch: Scratch, machine: UInt16 = 62) throws -> SiteImage {
        try scratch.write(elf(machine: machine), to: "program")
        try scratch.write(Array("PK not really".utf8), to: "docs.zip")
        var image = SiteImage(
            program: try ImageProgram(path: scratch.path("program"), withLibraries: Self.loader),
            packages: [.init(path: scratch.path("docs.zip"), name: "docs.zip")],
            created: Timestamp(secondsSinceEpoch: 1_700_000_000),
            serving: ["serve", "/srv/afcache/docs.zip"],
            checking: ["check"],
            port: 8080
        )
        image.labels = ["org.opencontainers.image.title": "docs", "a": "b"]
        return image
    }

    private static func json(_ scratch: Scratch, _ folder: String, _ digest: String?) throws -> JSONValue {
        try JSONValue(parsing: scratch.read(folder + "/blobs/sha256/" + (digest ?? "sha256:x").dropFirst(7)))
    }

    @Test func `an image is as the specification says, and the same each time`() throws {
        let scratch = try Scratch()
        let image = try Self.image(scratch)
        let written = try RegistryLayout("oci-layout:" + scratch.path("l") + ":1").put(image)
        #expect(try RegistryLayout("oci-layout:" + scratch.path("other/l")).put(image).digest == written.digest)
        let index = try JSONValue(parsing: scratch.read("l/index.json"))
        let entry = try #require(index["manifests"]?.array?.first)
        #expect(entry["digest"]?.string == written.digest)
        #expect(entry["platform"]?["architecture"]?.string == "amd64")
        #expect(entry["annotations"]?["org.opencontainers.image.ref.name"]?.string == "1")
        let manifest = try Self.json(scratch, "l", written.digest)
        #expect(manifest["mediaType"]?.string == "application/vnd.oci.image.manifest.v1+json")
        #expect(manifest["annotations"]?["a"]?.string == "b")
        let layers = try #require(manifest["layers"]?.array)
        #expect(
            layers.map { $0["mediaType"]?.string } == [
                "application/vnd.oci.image.layer.v1.tar+gzip", "application/vnd.oci.image.layer.v1.tar",
            ]
        )
        let config = try Self.json(scratch, "l", manifest["config"]?["digest"]?.string)
        #expect(config["os"]?.string == "linux")
        #expect(config["created"]?.string == "2023-11-14T22:13:20Z")
        #expect(config["rootfs"]?["diff_ids"]?.array?.count == 2)
        #expect(config["rootfs"]?["diff_ids"]?.array?.last == layers[1]["digest"])
        let run = try #require(config["config"])
        #expect(run["Entrypoint"]?.serialized == #"["/usr/bin/afcache","serve","/srv/afcache/docs.zip"]"#)
        #expect(run["User"]?.string == "65532:65532")
        #expect(run["StopSignal"]?.string == "SIGTERM")
        #expect(run["ExposedPorts"]?.serialized == #"{"8080/tcp":{}}"#)
        #expect(run["Healthcheck"]?["Test"]?.serialized == #"["CMD","/usr/bin/afcache","check"]"#)
        #expect(run["Healthcheck"]?["Interval"]?.integer == 30_000_000_000)
        #expect(run["Labels"]?["org.opencontainers.image.title"]?.string == "docs")
        for layer in layers {
            let file = scratch.path("l/blobs/sha256/" + (layer["digest"]?.string ?? "").dropFirst(7))
            #expect(try Program.run("tar", ["-tf", file]).status == 0)
        }
    }

    @Test func `the program's layer doesn't depend on the packages`() throws {
        let scratch = try Scratch()
        var image = try Self.image(scratch)
        let first = try RegistryLayout("oci-layout:" + scratch.path("l") + ":1").put(image)
        try scratch.write([1, 2, 3], to: "docs.zip")
        image.created = nil
        let second = try RegistryLayout("oci-layout:" + scratch.path("l") + ":2").put(image)
        #expect(first.digest != second.digest)
        #expect(first.blobs[0] == second.blobs[0])
        #expect(first.blobs[1] != second.blobs[1])
        let index = try JSONValue(parsing: scratch.read("l/index.json"))
        #expect(index["manifests"]?.array?.count == 2)
    }

    @Test func `an image has the libraries with which a program runs here`() throws {
        let scratch = try Scratch()
        let shell = try ImageProgram(path: "/bin/sh", withLibraries: Self.loader)
        let paths = shell.entries.map(\.path)
        #expect(paths == paths.sorted())
        #expect(paths.contains("usr/bin/afcache"))
        let library = try #require(paths.first { $0.contains("/libc.so") || $0.contains("ld-musl") })
        #expect(!library.hasPrefix("/"))
        let read = try Program.run("readelf", ["-l", "/bin/sh"]).text
        let loader = try #require(paths.first { read.contains("interpreter: /\($0)]") }, "\(paths) \(read)")
        // What is collected is enough: the loader of the copy finds all there.
        for entry in shell.entries {
            try scratch.write(try Array(Data(contentsOf: URL(fileURLWithPath: entry.source))), to: entry.path)
        }
        let folder = scratch.path(String(library.prefix(upTo: try #require(library.lastIndex(of: "/")))))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: scratch.path(loader))
        let run = try Program.run(
            scratch.path(loader),
            ["--library-path", folder, scratch.path("usr/bin/afcache"), "-c", "echo runs"]
        )
        #expect(run.text == "runs\n", "\(run.errors)")
    }

    @Test func `an image builds on another one for the same processor`() throws {
        let scratch = try Scratch()
        var lower = try Self.image(scratch)
        lower.labels = ["lower": "1"]
        let base = try RegistryLayout("oci-layout:" + scratch.path("base"))
        let below = try base.put(lower)
        var image = try Self.image(scratch)
        image.base = try base.base(for: image.program)
        image.program = try ImageProgram(path: scratch.path("program"))
        try scratch.write([9], to: "docs.zip")
        let written = try RegistryLayout("oci-layout:" + scratch.path("l")).put(image)
        #expect(written.blobs.prefix(2) == below.blobs.prefix(2))
        let manifest = try Self.json(scratch, "l", written.digest)
        let config = try Self.json(scratch, "l", manifest["config"]?["digest"]?.string)
        #expect(manifest["layers"]?.array?.count == 4)
        #expect(config["rootfs"]?["diff_ids"]?.array?.count == 4)
        #expect(config["history"]?.array?.count == 4)
        #expect(config["config"]?["Labels"]?["lower"] == nil)
        #expect(manifest["annotations"]?["org.opencontainers.image.base.digest"]?.string == below.digest)
        for blob in written.blobs {
            #expect(Int64(try scratch.read("l/blobs/sha256/" + blob.digest.dropFirst(7)).count) == blob.size)
        }
        let other = try Self.image(scratch, machine: 183)
        let error = #expect(throws: DeliveryError.self) { try base.base(for: other.program) }
        #expect(error?.message == "the image is for linux/amd64, and the program for linux/arm64")
    }

    @Test(arguments: [
        (#"{"layers":[]}"#, "this is not an image"),
        (
            #"{"manifests":[{"digest":"x","platform":{"os":"linux","architecture":"s390x"}}]}"#,
            "there is no image for linux/amd64, which the program is for"
        ),
        ("[", "the manifest of the image is not JSON"),
    ])
    func `what is no image is refused as a base`(manifest: String, reason: String) throws {
        let scratch = try Scratch()
        let bytes = Array(manifest.utf8)
        let digest = RegistryManifest.digest(bytes)
        try scratch.write(bytes, to: "b/blobs/sha256/" + digest.dropFirst(7))
        try scratch.write(Array(#"{"manifests":[{"digest":"\#(digest)"}]}"#.utf8), to: "b/index.json")
        let program = try Self.image(scratch).program
        let error = #expect(throws: DeliveryError.self) {
            try RegistryLayout("oci-layout:" + scratch.path("b")).base(for: program)
        }
        #expect(error?.message == reason)
    }

    @Test func `a base with a changed layer is refused, and the tag stays`() throws {
        let scratch = try Scratch()
        let base = try RegistryLayout("oci-layout:" + scratch.path("base"))
        var image = try Self.image(scratch)
        let below = try base.put(image)
        let layout = try RegistryLayout("oci-layout:" + scratch.path("l"))
        let before = try layout.put(image)
        image.base = try base.base(for: image.program)
        try scratch.write([9], to: "docs.zip")
        for blob in below.blobs {
            try FileManager.default.removeItem(atPath: scratch.path("l/blobs/sha256/" + blob.digest.dropFirst(7)))
        }
        try scratch.write([1], to: "base/blobs/sha256/" + below.blobs[1].digest.dropFirst(7))
        #expect(throws: DeliveryError.self) { try layout.put(image) }
        let index = try JSONValue(parsing: scratch.read("l/index.json"))
        #expect(index["manifests"]?.array?.first?["digest"]?.string == before.digest)
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path("l/blobs/sha256"))
        #expect(left.filter { $0.hasPrefix(".") }.isEmpty)
    }

    @Test func `a folder with other files is left alone`() throws {
        let scratch = try Scratch()
        try scratch.write([1], to: "home/letter.txt")
        let image = try Self.image(scratch)
        let error = #expect(throws: DeliveryError.self) {
            try RegistryLayout("oci-layout:" + scratch.path("home")).put(image)
        }
        #expect(error?.code == .inputOutput)
        #expect(error?.message == "the folder has other files, such as 'letter.txt'; name a new or empty one")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("home")) == ["letter.txt"])
    }

    // MARK: Registries

    private static func options() -> PackageDownload.Options {
        var options = PackageDownload.Options.patient(
            userAgent: "test",
            now: Timestamp(secondsSinceEpoch: 1_800_000_000)
        )
        options.pause = .milliseconds(1)
        options.retries = 1
        return options
    }

    @Test func `an image is pushed blob by blob, those first that the manifest names`() async throws {
        let scratch = try Scratch()
        let written = try RegistryLayout("oci-layout:" + scratch.path("l")).put(try Self.image(scratch))
        try await TestOrigin.withOrigin([:]) { origin in
            // The registry has the program already.
            origin.set("/v2/docs/blobs/\(written.blobs[0].digest)", TestOrigin.Answer(200))
            for blob in written.blobs.dropFirst() {
                origin.set("/v2/docs/blobs/\(blob.digest)", TestOrigin.Answer(404))
                origin.set("/up?digest=\(blob.digest)", TestOrigin.Answer(201))
            }
            origin.set("/v2/docs/blobs/uploads/", TestOrigin.Answer(202, [("Location", "/up")]))
            origin.set("/up", TestOrigin.Answer(202))
            origin.set("/v2/docs/manifests/2", TestOrigin.Answer(201))
            let reference = try RegistryReference("oci://\(origin.base.dropFirst("http://".count))/docs:2")
            let pushed = try await RegistryPush.push(
                written,
                to: reference,
                logins: RegistryLogins(),
                options: Self.options()
            )
            #expect(pushed.manifest == written.digest)
            #expect(pushed.sent == written.size - written.blobs[0].size)
            let upload = ["HEAD", "POST", "PATCH", "PUT"]
            #expect(origin.requests.map(\.method) == ["HEAD"] + upload + upload + ["PUT"])
            #expect(origin.targets.last == "/v2/docs/manifests/2")
            #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("l/blobs/sha256")).count == 4)
            let pinned = try RegistryReference("oci://\(reference.authority)/docs@\(written.digest)")
            await #expect(throws: DeliveryError.self) {
                try await RegistryPush.push(written, to: pinned, logins: RegistryLogins(), options: Self.options())
            }
        }
    }

    @Test func `a base is downloaded from a registry, by its index, and from where that redirects`() async throws {
        let scratch = try Scratch()
        let image = try Self.image(scratch)
        let written = try RegistryLayout("oci-layout:" + scratch.path("base")).put(image)
        func blob(_ digest: String) throws -> [UInt8] { try scratch.read("base/blobs/sha256/" + digest.dropFirst(7)) }
        let index =
            #"{"manifests":[{"digest":"sha256:\#(String(repeating: "0", count: 64))","platform":{"os":"linux","architecture":"arm64"}},"#
            + #"{"digest":"\#(written.digest)","platform":{"os":"linux","architecture":"amd64"}}]}"#
        let first = written.blobs[0].digest
        try await TestOrigin.withOrigin(["/storage": [TestOrigin.Answer(200, [], body: try blob(first))]]) { storage in
            try await TestOrigin.withOrigin([:]) { origin in
                origin.set("/v2/debian/manifests/12", .text(index, type: "application/vnd.oci.image.index.v1+json"))
                origin.set(
                    "/v2/debian/manifests/\(written.digest)",
                    TestOrigin.Answer(200, [], body: try blob(written.digest))
                )
                origin.set("/v2/debian/blobs/\(first)", .redirect(storage.base + "/storage", status: 307))
                for blob in written.blobs.dropFirst() {
                    origin.set(
                        "/v2/debian/blobs/\(blob.digest)",
                        TestOrigin.Answer(
                            200,
                            [],
                            body: try scratch.read("base/blobs/sha256/" + blob.digest.dropFirst(7))
                        )
                    )
                }
                try scratch.write([], to: "layers/x")
                let reference = try RegistryReference("oci://\(origin.base.dropFirst("http://".count))/debian:12")
                func base(_ program: ImageProgram) async throws -> ImageBase {
                    try await RegistryPull.base(
                        reference,
                        for: program,
                        into: scratch.path("layers"),
                        logins: RegistryLogins(),
                        options: Self.options()
                    )
                }
                let fetched = try await base(image.program)
                #expect(fetched.image.digest == written.digest)
                var upper = image
                upper.base = fetched
                let made = try RegistryLayout("oci-layout:" + scratch.path("l")).put(upper)
                #expect(made.blobs.count == 5)
                #expect(made.blobs.prefix(2) == written.blobs.prefix(2))
                let arm = try Self.image(scratch, machine: 183).program
                await #expect(throws: DeliveryError.self) { try await base(arm) }
            }
        }
    }
}
