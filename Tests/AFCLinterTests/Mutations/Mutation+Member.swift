import AFCPackageFormat
import Foundation
import TestSupport

/// Defects of members, and of what pages need.
extension Mutation {
    static let member: [Mutation] = [
        Mutation("a member that is missing") { package, source in
            guard let entry = package.any(&source), let place = package.place(of: entry.member) else { return nil }
            let lost = package.entries.filter { $0.member == entry.member }
            package.zip.members.remove(at: place)
            return lost.map { .entry("member.missing", $0, named($0) ? 4 : 0) }
        },
        Mutation("a fifth field that names nothing") { package, source in
            guard let entry = package.any(&source, where: { named($0) && $0.member.contains("~") }) else { return nil }
            let isShared = package.entries.count { $0.member == entry.member } > 1
            package.set(entry, 4, to: entry.member + "x")
            // Where nobody else names the member, it is one that nothing leads to any more.
            return [.entry("member.missing", entry, 4)]
                + (isShared ? [] : [.member("member.without-entry", entry.member)])
        },
        Mutation("a member that no entry names") { package, source in
            let names = ["docs.example/extra.html", "other.example/a", "readme.txt", "docs.example/img/i0.png.bak"]
            let name = names.randomElement(using: &source) ?? ""
            package.insert(RawZip.Member(name, "extra"))
            return [.member("member.without-entry", name)]
        },
        // Nothing names it, either.
        Mutation("what an operating system left") { package, source in
            let names = ["__MACOSX/a", "docs.example/.DS_Store", "docs.example/img/Thumbs.db", "docs.example/._a"]
            let name = names.randomElement(using: &source) ?? ""
            package.insert(RawZip.Member(name, "extra"))
            return [.member("member.rubbish", name), .member("member.without-entry", name)]
        },
        Mutation("a text that isn't deflated") { package, source in
            guard
                let entry = package.any(
                    &source,
                    where: { $0.type.hasPrefix("text/") && package.body($0.member).count >= 4_096 }
                ),
                let place = package.place(of: entry.member)
            else { return nil }
            package.zip.members[place].method = 0
            package.zip.members[place].setBody(package.body(entry.member))
            return [.line("member.not-deflated", entry.line)]
        },
        Mutation("an image that is deflated in vain") { package, source in
            guard let entry = package.any(&source, where: { $0.type == "image/png" }),
                let place = package.place(of: entry.member)
            else { return nil }
            package.zip.members[place].method = 8
            package.zip.members[place].setBody(package.body(entry.member))
            return [.line("member.deflated-in-vain", entry.line)]
        },
        Mutation("a name that Windows can't hold") { package, source in
            let names = ["a?b", "con", "nul.txt", "a.", "a|b", "a:b", "<a>", "dir /b"]
            let name = "docs.example/zz/" + (names.randomElement(using: &source) ?? "")
            let entry = package.add("http://docs.example/zz/planted", member: name)
            return [.line("member.not-portable", entry.line)]
        },
        Mutation("a body that is there twice") { package, source in
            guard let entry = package.any(&source, where: { package.body($0.member).count >= 1024 }) else { return nil }
            let body = package.body(entry.member)
            let added = package.add(
                "http://docs.example/zz/planted",
                type: entry.type,
                body: body,
                member: "docs.example/zz/planted~1"
            )
            return [.member("member.repeated-body", added.member)]
        },
        Mutation("a body in the folder of another host") { package, source in
            let names = ["other.example/a", "secure.example/a", "bodies/1"]
            let entry = package.add("http://docs.example/zz/planted", member: names.randomElement(using: &source))
            return [.line("member.wrong-place", entry.line)]
        },
        Mutation("an entry whose body is a folder") { package, source in
            guard
                let entry = package.any(
                    &source,
                    where: { entry in
                        !named(entry) && package.entries.count { $0.member == entry.member } == 1
                    }
                ), let place = package.place(of: entry.member)
            else { return nil }
            package.zip.members[place].name += [0x2F]
            package.zip.members[place].method = 0
            package.zip.members[place].setBody([])
            package.zip.members[place].attributes = 0o040755 << 16 | 16
            let found = Expected.entry("member.is-folder", entry)
            // A folder is one that nothing needs, too.
            return package.info == nil ? [found] : [found, .member("package.folder-members", entry.member + "/")]
        },
        Mutation("a folder") { package, source in
            guard package.info != nil else { return nil }
            let name = ["docs.example/", "empty/", "docs.example/img/"].randomElement(using: &source) ?? ""
            package.insert(RawZip.Member(name, "").with { $0.attributes = 0o040755 << 16 | 16 })
            return [.member("package.folder-members", name)]
        },
        Mutation("a member with another time") { package, source in
            guard package.info != nil, package.zip.members.count > 2 else { return nil }
            let place = Int.random(in: package.zip.members.indices, using: &source)
            package.zip.members[place].time ^= UInt16.random(in: 1...31, using: &source)
            return [.member("package.not-reproducible", package.zip.members[place].text)]
        },
    ]

    private static func named(_ entry: PlantedPackage.Entry) -> Bool {
        entry.fields.count > 4 && entry.fields[4] != "NULL"
    }

    /// Defects of pages and of what they need.
    static let completeness: [Mutation] = [
        onPage(
            "a picture that isn't there",
            "completeness.missing-requisite",
            [
                "<img src=/no/such.png>", "<img srcset='/no/such.png 2x'>",
                "<picture><source srcset=/no/such.webp></picture>",
                "<style>p { background: url(/no/such.png) }</style>", "<p style='background: url(/no/such.png)'>",
                "<video poster=/no/such.jpg></video>",
            ]
        ),
        onPage(
            "a style sheet that isn't there",
            "completeness.missing-requisite",
            [
                "<link rel=stylesheet href=/no/such.css>", "<style>@import '/no/such.css'</style>",
            ]
        ),
        onPage(
            "a script that isn't there",
            "completeness.missing-requisite",
            [
                "<script src=/no/such.js></script>", "<script type=module src=/no/such.js></script>",
                "<script type=module>import '/no/such.js'</script>",
            ]
        ),
        onPage("a frame that isn't there", "completeness.missing-requisite", ["<iframe src=/no/such.html></iframe>"]),
        onPage(
            "credentials in a page",
            "security.credentials-in-page",
            [
                "<a href=https://u:p@e.example/>a</a>", "<a href=http://u@e.example/>a</a>",
            ]
        ),
        Mutation("a style sheet's picture that isn't there") { package, source in
            guard let entry = package.any(&source, where: { $0.type.hasPrefix("text/css") }) else { return nil }
            let text = String(decoding: package.body(entry.member), as: UTF8.self)
            package.setBody(of: entry, to: Array((text + "q { background: url(no/such.png) }\n").utf8))
            return [.line("completeness.missing-requisite", entry.line)]
        },
        Mutation("a module's import that isn't there") { package, source in
            guard let entry = package.any(&source, where: { $0.type == "text/javascript" }) else { return nil }
            let text = String(decoding: package.body(entry.member), as: UTF8.self)
            package.setBody(of: entry, to: Array(("import { a } from './no-such.js'\n" + text).utf8))
            return [.line("completeness.missing-requisite", entry.line)]
        },
        // What browsers refuse isn't missed a second time: it is there.
        Mutation("mixed content") { package, source in
            guard
                let entry = package.any(
                    &source,
                    where: { $0.url.hasPrefix("https:") && $0.type.hasPrefix("text/html") }
                ),
                package.entries.contains(where: { $0.url == "http://docs.example/img/i0.png" })
            else { return nil }
            plant("<img src=http://docs.example/img/i0.png>", on: entry, of: &package, &source)
            return [.line("security.mixed-content", entry.line)]
        },
        // Gone with all that belongs to it, so that only the pages tell; the first of them does.
        Mutation("a picture that was taken out") { package, source in
            guard
                let entry = package.any(
                    &source,
                    where: { entry in
                        entry.type == "image/png" && !package.users(of: Self.last(entry.url)).isEmpty
                    }
                ), let place = package.place(of: entry.member), let record = package.record(of: entry.url)
            else { return nil }
            let size = package.body(entry.member).count
            let users = package.users(of: Self.last(entry.url)).map { $0.index < entry.index ? $0.line : $0.line - 1 }
            package.zip.members.remove(at: place)
            package.lines.remove(at: entry.index)
            package.records.remove(at: record)
            package.count("resources", -1)
            package.count("bodyBytes", -size)
            return users.prefix(1).map { .line("completeness.missing-requisite", $0) }
        },
        // What is left of it besides.
        Mutation("an entry that was taken out") { package, source in
            guard let entry = package.any(&source, where: { $0.url.contains("/notes/") }), package.info != nil,
                let record = package.record(of: entry.url)
            else { return nil }
            package.lines.remove(at: entry.index)
            return [
                .member("member.without-entry", entry.member), .record("sidecar.record-without-entry", record),
                .info("sidecar.wrong-counts"), .info("sidecar.wrong-counts"),
            ]
        },
        Mutation("something used as what its type forbids") { package, source in
            guard
                let entry = package.any(&source, where: { $0.type.hasPrefix("text/html") && $0.url.hasPrefix("http:") })
            else {
                return nil
            }
            _ = package.add("http://docs.example/zz/planted.txt")
            guard let moved = package.entries.first(where: { $0.url == entry.url }) else { return nil }
            let texts = [
                "<link rel=stylesheet href=/zz/planted.txt>", "<script type=module src=/zz/planted.txt></script>",
            ]
            plant(texts.randomElement(using: &source) ?? "", on: moved, of: &package, &source)
            return [.line("type.contradicts-use", moved.line)]
        },
        Mutation("a seed that isn't there") { package, _ in
            guard package.info != nil else { return nil }
            package.info = package.info?.replacingOccurrences(
                of: "\"http://docs.example/\"",
                with: "\"http://docs.example/none/\""
            )
            return [.info("completeness.missing-seed")]
        },
        Mutation("a redirect to what isn't there") { package, source in
            let target = ["/no/such", "http://docs.example/none.html", "none.html"].randomElement(using: &source) ?? ""
            return redirect("http://docs.example/moved", to: target, in: &package)
                ? [.records("completeness.redirect-target")] : nil
        },
        Mutation("a redirect to itself") { package, source in
            let target = ["/moved", "moved#a", "http://docs.example/moved"].randomElement(using: &source) ?? ""
            return redirect("http://docs.example/moved", to: target, in: &package)
                ? [.records("sidecar.redirect-loop")] : nil
        },
    ]

    private static func last(_ url: String) -> String { "/" + (url.split(separator: "/").last.map(String.init) ?? "") }

    static func redirect(_ url: String, to target: String, in package: inout PlantedPackage) -> Bool {
        guard !package.records.isEmpty else { return false }
        package.addRecord("{\"url\":\"\(url)\",\"status\":302,\"fields\":[[\"location\",\"\(target)\"]]}")
        package.count("redirects", 1)
        return true
    }

    /// A page with a text planted in it.
    private static func onPage(_ kind: String, _ rule: String, _ texts: [String]) -> Mutation {
        Mutation(kind) { package, source in
            guard let entry = package.any(&source, where: { $0.type.hasPrefix("text/html") }) else { return nil }
            plant(texts.randomElement(using: &source) ?? "", on: entry, of: &package, &source)
            return [.line(rule, entry.line)]
        }
    }

    /// Puts a text behind one of a page's lines.
    private static func plant(
        _ text: String,
        on entry: PlantedPackage.Entry,
        of package: inout PlantedPackage,
        _ source: inout Source
    ) {
        var lines = String(decoding: package.body(entry.member), as: UTF8.self).split(separator: "\n").map(String.init)
        lines.insert(text, at: Int.random(in: 3...lines.count, using: &source))
        package.setBody(of: entry, to: Array((lines.joined(separator: "\n") + "\n").utf8))
    }
}
