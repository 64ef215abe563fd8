import AFCCaching
import AFCHTTP
import AFCPackageFile
import AFCSQLite
import AFCText
import AFCURL
import Foundation
import TestOrigin
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What is at a package's path, and beside it, is looked at before anything is asked for, and a stranger's file stays.
struct OutputPlaceTests {
    private let now = Timestamp(secondsSinceEpoch: 1_000_000_000)

    private func output(_ path: String) -> Packaging.Output {
        Packaging.Output(path: path, created: now, generator: "test")
    }

    private func crawl(_ origin: TestOrigin) throws -> CrawlOptions {
        let now = now
        return CrawlOptions(seeds: [try WebURL(origin.base + "/")], now: { now })
    }

    /// What a crawl to a path is refused with, having asked for nothing and left nothing behind.
    private func refusal(
        _ path: String,
        in folder: String,
        _ change: (inout CrawlOptions) -> Void = { _ in }
    ) async throws -> PackagingError? {
        let before = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
        let error = try await TestOrigin.withOrigin(["/": [.html("x")]]) { origin in
            var options = try crawl(origin)
            change(&options)
            let fixed = options
            let error = await #expect(throws: PackagingError.self) {
                _ = try await Packaging.pack(fixed, fetching: .patient(), to: output(path))
            }
            #expect(origin.requests.isEmpty)
            return error
        }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: folder).sorted() == before)
        return error
    }

    @Test func `a folder, or a path in a missing folder, is refused before the first request`() async throws {
        try await withScratchFolder { folder in
            try FileManager.default.createDirectory(atPath: folder + "/d", withIntermediateDirectories: true)
            #expect(try await refusal(folder + "/d", in: folder)?.message.contains("this is a folder") == true)
            #expect(try await refusal(folder + "/no/d.zip", in: folder)?.message.contains("there is no folder") == true)
        }
    }

    @Test(arguments: ["notes", "PK\u{3}\u{4}", String(repeating: "x", count: 100_000)])
    func `a file that isn't a package is replaced only on request`(text: String) async throws {
        try await withScratchFolder { folder in
            let path = folder + "/notes.txt"
            try write(text, to: path)
            let error = try await refusal(path, in: folder)
            #expect(error?.code == .inputOutput)
            #expect(error?.remedy == .overwrite)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
            try write("a", to: folder + "/site/a.html")
            let site = FolderOptions(folder: folder + "/site", baseURL: try WebURL("http://docs.example"), now: now)
            await #expect(throws: PackagingError.self) {
                _ = try await Packaging.pack(site, to: output(path))
            }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
            var overwriting = output(path)
            overwriting.overwrites = true
            _ = try await Packaging.pack(site, to: overwriting)
            // Now it is a package, and another may take its place.
            _ = try await Packaging.pack(site, to: output(path))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["notes.txt", "site"])
        }
    }

    @Test func `an archive without a manifest isn't a package`() async throws {
        try await withScratchFolder { folder in
            let path = folder + "/x.zip"
            let script = "import sys,zipfile\nwith zipfile.ZipFile(sys.argv[1],'w') as z: z.writestr(sys.argv[2],'x')"
            _ = try run("python3", "-c", script, path, "notes/manifest.afcache")
            #expect(try await refusal(path, in: folder)?.message.contains("not a package") == true)
            _ = try run("python3", "-c", script, path, "manifest.afcache")
            try await TestOrigin.withOrigin(["/": [.html("x")]]) { origin in
                let report = try await Packaging.pack(try crawl(origin), fetching: .patient(), to: output(path)).report
                #expect(report.fetched == 1)
            }
        }
    }

    @Test func `an empty file may be replaced, since that is how a temporary name is taken`() async throws {
        try await withScratchFolder { folder in
            try write("", to: folder + "/tmp.zip")
            try await TestOrigin.withOrigin(["/": [.html("x")]]) { origin in
                let report = try await Packaging.pack(
                    try crawl(origin),
                    fetching: .patient(),
                    to: output(folder + "/tmp.zip")
                ).report
                #expect(report.fetched == 1)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["tmp.zip"])
        }
    }

    @Test func `drafts that a process left are removed, and a link in place of one isn't followed`() async throws {
        try await withScratchFolder { folder in
            try write("a", to: folder + "/site/a.html")
            // No process has this number.
            let draft = ".x.zip.2147483646.afcache-tmp-1.draft"
            for name in [draft, "." + draft + ".2147483646.afcache-tmp-2"] {
                try write("left", to: folder + "/" + name)
            }
            try write("mine", to: folder + "/mine.txt")
            try FileManager.default.createSymbolicLink(atPath: folder + "/x.zip.draft", withDestinationPath: "mine.txt")
            let site = FolderOptions(folder: folder + "/site", baseURL: try WebURL("http://docs.example"), now: now)
            _ = try await Packaging.pack(site, to: output(folder + "/x.zip"))
            #expect(try String(contentsOfFile: folder + "/mine.txt", encoding: .utf8) == "mine")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            #expect(names == ["mine.txt", "site", "x.zip", "x.zip.draft"])
        }
    }

    @Test func `a crawl's files are readable only by its user`() async throws {
        try await withScratchFolder { folder in
            try await TestOrigin.withOrigin(["/": [.html("x")]]) { origin in
                let workspace = try CrawlWorkspace.open(for: output(folder + "/x.zip"), try crawl(origin))
                try workspace.state.write(CrawlChanges(), facts: ["a": "b"])
                let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
                #expect(names == ["x.zip.bodies", "x.zip.crawl", "x.zip.crawl-wal"])
                for name in names {
                    let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
                    #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
                }
                workspace.remove()
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
            }
        }
    }

    @Test(arguments: ["x.zip.crawl", "x.zip.bodies", "x.zip.crawl-wal", "x.zip.crawl-shm", "x.zip.crawl-journal"])
    func `a link or another file at the path of a crawl's state is refused, and kept`(name: String) async throws {
        try await withScratchFolder { folder in
            let path = folder + "/" + name
            try write("mine", to: folder + "/mine.txt")
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "mine.txt")
            let linked = try await refusal(folder + "/x.zip", in: folder)
            #expect(linked?.subject == path)
            #expect(linked?.message.contains("it is a symbolic link") == true)
            try FileManager.default.removeItem(atPath: path)
            try write("notes of somebody else", to: path)
            for restarts in [false, true] {
                let error = try await refusal(folder + "/x.zip", in: folder) { $0.restarts = restarts }
                #expect(error?.subject == path)
            }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "notes of somebody else")
            #expect(try String(contentsOfFile: folder + "/mine.txt", encoding: .utf8) == "mine")
        }
    }

    @Test func `a state that other users can change isn't trusted`() async throws {
        try await withScratchFolder { folder in
            try await TestOrigin.withOrigin(["/": [.html("x")]]) { origin in
                let options = try crawl(origin)
                let output = output(folder + "/x.zip")
                try CrawlState(
                    path: output.path + ".crawl",
                    fingerprint: options.fingerprint(generator: output.generator, level: output.level)
                ).close()
                #expect(chmod(output.path + ".crawl", 0o666) == 0)
                let error = await #expect(throws: PackagingError.self) {
                    _ = try await Packaging.pack(options, fetching: .patient(), to: output)
                }
                #expect(error?.message.contains("other users can change it") == true)
                #expect(chmod(output.path + ".crawl", 0o644) == 0)
                #expect(try await Packaging.pack(options, fetching: .patient(), to: output).report.fetched == 1)
            }
        }
    }

    @Test func `a database that contains more than a state is refused`() async throws {
        try await withScratchFolder { folder in
            try await TestOrigin.withOrigin(["/": [.html("x")]]) { origin in
                let options = try crawl(origin)
                let output = output(folder + "/x.zip")
                try CrawlState(
                    path: output.path + ".crawl",
                    fingerprint: options.fingerprint(generator: output.generator, level: output.level)
                ).close()
                let database = try LockedDatabase(output.path + ".crawl")
                try database.change { db in
                    let sql =
                        "CREATE TRIGGER t AFTER INSERT ON found BEGIN UPDATE found SET url = 'http://evil.example/'; END"
                    try db.execute(sql)
                }
                try database.close()
                let error = await #expect(throws: PackagingError.self) {
                    _ = try await Packaging.pack(options, fetching: .patient(), to: output)
                }
                #expect(error?.message.contains("another file exists there") == true)
                #expect(origin.requests.isEmpty)
            }
        }
    }

    @Test func `bodies without their state are known by their marker`() async throws {
        try await withScratchFolder { folder in
            try write("afcache bodies\n\0and what came then", to: folder + "/x.zip.bodies")
            #expect(chmod(folder + "/x.zip.bodies", 0o600) == 0)
            try await TestOrigin.withOrigin(["/": [.html("x")]]) { origin in
                let report = try await Packaging.pack(
                    try crawl(origin),
                    fetching: .patient(),
                    to: output(folder + "/x.zip")
                ).report
                #expect(report.fetched == 1)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["x.zip"])
        }
    }
}
