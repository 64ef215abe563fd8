import AFCPackageFormat
import TestSupport

/// Defects of the manifest as a text.
extension Mutation {
    static let text: [Mutation] = [
        Mutation("a byte order mark") { package, _ in
            package.manifest = [0xEF, 0xBB, 0xBF] + package.manifestBytes
            return [.line("manifest.byte-order-mark", 1)]
        },
        // One such line among others is a mixture, too.
        Mutation("a line that ends in CR LF") { package, source in
            guard package.lines.count > 2 else { return nil }
            let index = Int.random(in: package.lines.indices, using: &source)
            let column = package.lines[index].utf8.count + 1
            package.lines[index] += "\r"
            return [
                .line("manifest.crlf", index + 1, column), .line("manifest.mixed-line-ends", index + 1, column),
            ]
        },
        Mutation("all lines end in CR LF") { package, _ in
            let column = package.lines[0].utf8.count + 1
            package.lines = package.lines.map { $0 + "\r" }
            return [.line("manifest.crlf", 1, column)]
        },
        // The lines above it are then the many.
        Mutation("a line that ends in LF alone") { package, source in
            guard package.lines.count > 3 else { return nil }
            let index = Int.random(in: 1..<package.lines.count, using: &source)
            let (first, column) = (package.lines[0].utf8.count, package.lines[index].utf8.count)
            package.lines = package.lines.enumerated().map { $0 == index ? $1 : $1 + "\r" }
            return [
                .line("manifest.crlf", 1, first + 1), .line("manifest.mixed-line-ends", index + 1, column + 1),
            ]
        },
        Mutation("no last line end") { package, _ in
            package.manifest = package.manifestBytes.dropLast()
            return [.line("manifest.no-last-line-end", package.lines.count, (package.lines.last?.utf8.count ?? 0) + 1)]
        },
        Mutation("a blank line") { package, source in
            let index = Int.random(in: 1...package.lines.count, using: &source)
            package.lines.insert(["", " ", "\t"].randomElement(using: &source) ?? "", at: index)
            return [.line("manifest.blank-line", index + 1)]
        },
        Mutation("a space at the end of a line") { package, source in
            guard let entry = package.any(&source) else { return nil }
            let column = package.lines[entry.index].utf8.count + 1
            package.lines[entry.index] += ["\t", " ", "  "].randomElement(using: &source) ?? ""
            return [.line("manifest.white-space", entry.line, column)]
        },
        Mutation("a space at the start of a line") { package, source in
            guard let entry = package.any(&source) else { return nil }
            package.lines[entry.index] = " " + package.lines[entry.index]
            return [.line("manifest.white-space", entry.line)]
        },
        Mutation("a space beside a delimiter") { package, source in
            guard let entry = package.any(&source) else { return nil }
            let field = Int.random(in: 0..<min(3, entry.fields.count - 1), using: &source)
            let end = entry.column(field) + entry.fields[field].utf8.count
            package.set(entry, field, to: entry.fields[field] + " ")
            return [.line("manifest.white-space", entry.line, end)]
        },
        Mutation("two lines that changed places") { package, source in
            let entries = package.entries
            guard let first = entries.dropLast().randomElement(using: &source) else { return nil }
            package.lines.swapAt(first.index, first.index + 1)
            return [.line("manifest.unsorted", first.line + 1)]
        },
        Mutation("a line that moved down") { package, source in
            let entries = package.entries
            guard entries.count > 3, let from = entries.dropLast(2).randomElement(using: &source) else { return nil }
            let target = Int.random(in: from.index + 1..<package.lines.count, using: &source)
            package.lines.insert(package.lines.remove(at: from.index), at: target)
            return [.line("manifest.unsorted", target + 1)]
        },
        // What stands below it sorts before it, so the line below is the one that is out of order.
        Mutation("a line that moved up") { package, source in
            let entries = package.entries
            guard entries.count > 3, let from = entries.dropFirst(2).randomElement(using: &source) else { return nil }
            let target = Int.random(in: entries[0].index..<from.index, using: &source)
            package.lines.insert(package.lines.remove(at: from.index), at: target)
            return [.line("manifest.unsorted", target + 2)]
        },
        Mutation("a line that stands twice") { package, source in
            guard let entry = package.any(&source) else { return nil }
            let index = Int.random(in: entry.index + 1...package.lines.count, using: &source)
            package.lines.insert(package.lines[entry.index], at: index)
            return [.line("manifest.duplicate", index + 1)]
        },
        Mutation("two lines that disagree") { package, source in
            guard var entry = package.any(&source) else { return nil }
            let index = Int.random(in: entry.index + 1...package.lines.count, using: &source)
            entry.fields[1] = "Mon, 02 Mar 2015 10:00:00 GMT"
            package.lines.insert(entry.fields.joined(separator: " ; "), at: index)
            return [.line("manifest.conflicting-duplicate", index + 1)]
        },
        Mutation("an unknown header") { package, source in
            guard package.entries.first?.index == 0 else { return nil }
            let key = ["baseurl", "BaseURL", "base", "version"].randomElement(using: &source) ?? ""
            package.lines.insert("\(key) = http://docs.example/", at: 0)
            return [.line("manifest.unknown-header", 1)]
        },
        Mutation("a header below entries") { package, source in
            guard package.entries.first?.index == 0, let last = package.entries.last else { return nil }
            let index = Int.random(in: 1..<package.lines.count, using: &source)
            package.lines.insert("baseURL = " + last.url.prefix { $0 != "?" }, at: index)
            return [.line("manifest.late-header", index + 1)]
        },
        Mutation("a base URL that no entry uses") { package, _ in
            guard package.entries.first?.index == 0 else { return nil }
            package.lines.insert("baseURL = http://nowhere.example/", at: 0)
            return [.line("manifest.unused-base-url", 1)]
        },
        // The lost field is what makes the line another dialect's.
        Mutation("a line without its type") { package, source in
            guard let entry = package.any(&source, where: { $0.fields.count == 4 }), package.entries.count > 2 else {
                return nil
            }
            package.lines[entry.index] = entry.fields[..<3].joined(separator: " ; ")
            return [.line("type.missing", entry.line), .line("manifest.mixed-dialects", entry.line)]
        },
        Mutation("no manifest") { package, source in
            guard let place = package.place(of: PackageLayout.manifest) else { return nil }
            let names = ["site/manifest.afcache", "Manifest.afcache", "manifest.afcache.bak"]
            package.zip.members[place].name = Array((names.randomElement(using: &source) ?? "").utf8)
            return [.package("manifest.missing")]
        },
    ]
}
