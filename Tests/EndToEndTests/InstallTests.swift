import Foundation
import TestSupport
import Testing

struct InstallTests {
    /// The pages of the documentation lie as in the sources.
    static let pages: [String] = {
        let names = FileManager.default.enumerator(atPath: MainJobTests.root + "/docs")?.compactMap { $0 as? String }
        return (names ?? []).filter { $0.hasSuffix(".md") || $0.hasPrefix("pictures/") && $0.contains(".") }
            .map { "share/doc/afcache/" + $0 }.sorted()
    }()

    static let data = [
        "lib/systemd/system/afcache-sync.service", "lib/systemd/system/afcache-sync.timer",
        "lib/systemd/system/afcache.service", "lib/systemd/system/afcache.socket",
        "share/applications/afcache.desktop", "share/bash-completion/completions/afcache",
        "share/fish/vendor_completions.d/afcache.fish",
        "share/man/man1/afcache.1", "share/mime/packages/afcache.xml", "share/zsh/site-functions/_afcache",
    ]

    @Test func `install puts each file in its place, and uninstall removes only these`() throws {
        let tree = try InstalledTree()
        #expect(Self.pages.contains("share/doc/afcache/reference/exit-codes.md"))
        let data = (Self.data + Self.pages).sorted()
        #expect(try files(in: tree) == ["755 bin/afcache"] + data.map { "644 " + $0 })
        try tree.scratch.write(Array("kept".utf8), to: "root folder/usr/share/man/man1/other.1")
        try tree.scratch.write(Array("kept".utf8), to: "root folder/usr/share/fish/vendor_completions.d/other.fish")
        let result = try tree.make("uninstall")
        #expect(result.status == 0, "\(result.errors)")
        let kept = ["share/fish/vendor_completions.d/other.fish", "share/man/man1/other.1"]
        #expect(try files(in: tree).map { String($0.dropFirst(4)) } == kept)
        // Of the folders, those that every system has are left, and those that others use.
        let folders = [
            "bin", "lib", "share", "share/doc", "share/fish", "share/fish/vendor_completions.d", "share/man",
            "share/man/man1",
        ]
        #expect(
            try FileManager.default.subpathsOfDirectory(atPath: tree.root + "/usr").sorted()
                == (folders + kept).sorted()
        )
    }

    @Test func `the installed program works with nothing in its environment`() throws {
        let tree = try InstalledTree()
        let site = MainJobTests.site
        let result = try Program.run(
            "env",
            [
                "-i", "-C", tree.scratch.path, tree.path("bin/afcache"), "pack", "--folder", site, "--base-url",
                "http://demo.example", "-o", "demo.zip",
            ]
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(try Program.run(tree.path("bin/afcache"), ["lint", tree.scratch.path("demo.zip")]).status == 0)
    }

    @Test func `the pages that help texts name are installed, and their pictures`() throws {
        let tree = try InstalledTree()
        let help = try FileManager.default.contentsOfDirectory(at: HelpTests.folder, includingPropertiesForKeys: nil)
        var named: Set<String> = []
        for file in help {
            let text = try String(contentsOf: file, encoding: .utf8).replacing("\n", with: " ")
            named.formUnion(text.matches(of: /[a-z\/-]+\.md/).map { String($0.output) })
        }
        #expect(named.count >= 3)
        for page in named {
            #expect(FileManager.default.fileExists(atPath: tree.path(page)), "\(page)")
        }
        let pictures = try String(contentsOfFile: tree.path("share/doc/afcache/explanation/sites.md"), encoding: .utf8)
            .matches(of: /\]\(\.\.\/(pictures\/[^)]+)\)/).map { String($0.output.1) }
        #expect(pictures.count > 3)
        for picture in pictures {
            #expect(FileManager.default.fileExists(atPath: tree.path("share/doc/afcache/" + picture)), "\(picture)")
        }
    }

    @Test func `the unit starts the program that was installed`() throws {
        let tree = try InstalledTree()
        _ = try tree.make("install", ["PROGRAM=\(Program.afcache)", "PREFIX=/opt/afcache"])
        let unit = try String(
            contentsOfFile: tree.root + "/opt/afcache/lib/systemd/system/afcache.service",
            encoding: .utf8
        )
        #expect(unit.contains("\nExecStart=/opt/afcache/bin/afcache serve "))
    }

    @Test func `the pages enable installed units, and put none over them`() throws {
        let folder = URL(fileURLWithPath: MainJobTests.root)
        let pages =
            [folder.appendingPathComponent("README.md")]
            + Self.pages.filter { $0.hasSuffix(".md") }.map {
                folder.appendingPathComponent("docs/" + $0.dropFirst("share/doc/afcache/".count))
            }
        var enabled: [String] = []
        for page in pages {
            let text = try String(contentsOf: page, encoding: .utf8)
            // Units in /etc take precedence over the installed ones, which start the installed program.
            #expect(text.firstMatch(of: /(cp|install|ln)\b.*\/etc\/systemd/) == nil, "\(page.lastPathComponent)")
            enabled += text.matches(of: /systemctl enable (?:--now )?([a-z.-]+)/).map { String($0.output.1) }
        }
        #expect(enabled.count >= 2)
        for unit in enabled { #expect(Self.data.contains("lib/systemd/system/" + unit), "\(unit)") }
    }

    @Test func `without a program nothing is installed`() throws {
        let scratch = try Scratch()
        let result = try Program.run(
            "make",
            ["-C", MainJobTests.root, "install", "PROGRAM=/nonexistent", "DESTDIR=\(scratch.path)"],
            environment: ["MAKEFLAGS": ""]
        )
        #expect(result.status == 2)
        #expect(result.errors.contains("there is no program at '/nonexistent'; run 'make' first"))
        #expect(scratch.names.isEmpty)
    }

    @Test func `man, mandoc and groff have no warning for the manual page`() throws {
        let tree = try InstalledTree()
        let page = tree.path("share/man/man1/afcache.1")
        let mandoc = try Program.run("mandoc", ["-T", "lint", "-W", "warning", page])
        #expect(mandoc.text.isEmpty)
        let environment = ["LC_ALL": "C.UTF-8", "MANWIDTH": "100", "MANROFFOPT": "-ww", "PAGER": "cat"]
        let man = try Program.run("man", ["--warnings=w", "-l", page], environment: environment)
        #expect(man.status == 0)
        #expect(man.errors.isEmpty)
        let name = try Program.run("lexgrog", [page])
        #expect(
            name.text.hasSuffix(
                "\"afcache - Make, check, load and serve offline packages of websites\"\n"
            )
        )
    }

    @Test func `the manual page has every help page's examples and options, and every exit code`() throws {
        let tree = try InstalledTree()
        let page = try Program.run(
            "mandoc",
            ["-T", "ascii", "-O", "width=500", tree.path("share/man/man1/afcache.1")]
        )
        // Bold is a letter, a backspace and the letter again.
        let text = page.text.replacing(try Regex("[^\\n]\\x08"), with: "")
        #expect(text.contains("2023-11-14"), "the day of SOURCE_DATE_EPOCH")
        let help = try FileManager.default.contentsOfDirectory(at: HelpTests.folder, includingPropertiesForKeys: nil)
        #expect(help.count >= 25)
        for file in help {
            let recorded = try String(contentsOf: file, encoding: .utf8)
            for option in recorded.matches(of: try Regex("(?m)^  (--[a-z0-9-]+)", as: (Substring, Substring).self)) {
                #expect(text.contains(option.output.1), "\(file.lastPathComponent)")
            }
        }
        let codes = try String(contentsOfFile: MainJobTests.root + "/docs/reference/exit-codes.md", encoding: .utf8)
        let documented = codes.matches(of: try Regex("(?m)^\\| ([0-9, ]+) \\|", as: (Substring, Substring).self))
            .flatMap { $0.output.1.split(separator: ", ") }.compactMap { Int($0) }
        let section = text.split(separator: "EXIT STATUS")[1].split(separator: "ENVIRONMENT")[0]
        let listed = section.matches(of: try Regex("(?m)^ {5,8}([0-9]+) ", as: (Substring, Substring).self))
            .compactMap { Int($0.output.1) }
        #expect(listed == Set(documented).sorted())
    }

    private func files(in tree: InstalledTree) throws -> [String] {
        let root = tree.root + "/usr"
        let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return try names.sorted().compactMap { name in
            let attributes = try FileManager.default.attributesOfItem(atPath: root + "/" + name)
            guard attributes[.type] as? FileAttributeType == .typeRegular else { return nil }
            return String(attributes[.posixPermissions] as? Int ?? 0, radix: 8) + " " + name
        }
    }
}
