import AFCCaching
import AFCHTTP
import Foundation

/// Lines that can't be read. What follows from the missing entry isn't said: its member, its record and the pages that
/// need it are what they should be.
extension Mutation {
    static let line: [Mutation] = [
        Mutation("a control character") { package, source in
            let index = Int.random(in: package.lines.indices, using: &source)
            var bytes = Array(package.lines[index].utf8)
            let place = Int.random(in: 1..<bytes.count, using: &source)
            let control: [UInt8] = [0, 1, 7, 8, 0x0B, 0x0C, 0x0D, 0x1B, 0x1F, 0x7F]
            bytes.insert(control.randomElement(using: &source) ?? 0, at: place)
            package.lines[index] = String(decoding: bytes, as: UTF8.self)
            return [.line("manifest.control-character", index + 1, place + 1)]
        },
        Mutation("a byte that isn't UTF-8") { package, source in
            let index = Int.random(in: package.lines.indices, using: &source)
            let before = package.lines[..<index].reduce(0) { $0 + $1.utf8.count + 1 }
            let place = Int.random(in: 0...package.lines[index].utf8.count, using: &source)
            var bytes = package.manifestBytes
            let wrong: [UInt8] = [0x80, 0xBF, 0xC0, 0xE4, 0xF6, 0xFC, 0xFF]
            bytes.insert(wrong.randomElement(using: &source) ?? 0, at: before + place)
            package.manifest = bytes
            return [.line("manifest.not-utf8", index + 1, place + 1)]
        },
        Mutation("delimiters without a space") { package, source in
            guard let entry = package.any(&source) else { return nil }
            package.lines[entry.index] = entry.fields.joined(
                separator: ["; ", " ;", ";", ", "].randomElement(using: &source) ?? ""
            )
            return [.line("manifest.malformed-line", entry.line)]
        },
        Mutation("too many fields") { package, source in
            guard let entry = package.any(&source) else { return nil }
            let more = [String](repeating: "x", count: Int.random(in: 2...9, using: &source))
            package.lines[entry.index] = (entry.fields + more).joined(separator: " ; ")
            return [.line("manifest.malformed-line", entry.line)]
        },
        Mutation("a line of words") { package, source in
            let index = Int.random(in: 1...package.lines.count, using: &source)
            let words = ["# a comment", "<<<<<<< HEAD", "=======", "http://docs.example/a", "{\"url\":1}"]
            package.lines.insert(words.randomElement(using: &source) ?? "", at: index)
            return [.line("manifest.malformed-line", index + 1)]
        },
        Mutation("a line that is too long") { package, source in
            guard let entry = package.any(&source) else { return nil }
            package.lines[entry.index] += String(repeating: "m", count: Int.random(in: 65_600...90_000, using: &source))
            return [.line("manifest.line-too-long", entry.line)]
        },
        Mutation("a URL that is none") { package, source in
            guard let entry = package.any(&source) else { return nil }
            let rest = entry.url.drop { $0 != "/" }.dropFirst(2)
            let urls = [
                String(rest), "/" + rest, "http://", "http://docs.example:99999/" + rest, "http://[::1/" + rest,
                "http://docs .example/", "1http://" + rest,
            ]
            package.set(entry, 0, to: urls.randomElement(using: &source) ?? "")
            return [.entry("url.invalid", entry)]
        },
        Mutation("a URL with credentials") { package, source in
            guard let entry = package.any(&source) else { return nil }
            let user = ["user:pass@", "user@", ":pass@"].randomElement(using: &source) ?? ""
            package.set(entry, 0, to: entry.url.replacingOccurrences(of: "://", with: "://" + user))
            return [.entry("url.credentials", entry)]
        },
    ]

    /// Defects of dates.
    static let date: [Mutation] = [
        Mutation("a date in another form") { package, source in
            guard let entry = package.any(&source), let date = HTTPDate.parse(entry.fields[1]) else { return nil }
            let iso = date.iso8601
            let (seconds, text) = ("\(date.secondsSinceEpoch)", entry.fields[1])
            let forms = [
                iso, iso.replacingOccurrences(of: "Z", with: "+00:00"), seconds,
                text.replacingOccurrences(of: "GMT", with: "GMT+00:00"),
                text.replacingOccurrences(of: "GMT", with: "UTC"), text.replacingOccurrences(of: "GMT", with: "+0000"),
                text.replacingOccurrences(of: ",", with: ""),
            ]
            package.set(entry, 1, to: forms.randomElement(using: &source) ?? "")
            return [.entry("date.not-imf-fixdate", entry, 1)]
        },
        Mutation("an expires date in another form") { package, source in
            guard let entry = package.any(&source, where: { $0.fields[2] != "NULL" }),
                let date = HTTPDate.parse(entry.fields[2])
            else { return nil }
            package.set(entry, 2, to: Bool.random(using: &source) ? date.iso8601 : "\(date.secondsSinceEpoch)")
            return [.entry("date.not-imf-fixdate", entry, 2)]
        },
        Mutation("a wrong weekday") { package, source in
            guard let entry = package.any(&source) else { return nil }
            let day = entry.fields[1].hasPrefix("Mon") ? "Tue" : "Mon"
            package.set(entry, 1, to: day + entry.fields[1].dropFirst(3))
            return [.entry("date.not-imf-fixdate", entry, 1)]
        },
        Mutation("a date that is none") { package, source in
            guard let entry = package.any(&source) else { return nil }
            let field = entry.fields[2] == "NULL" ? 1 : Int.random(in: 1...2, using: &source)
            let dates = [
                "tomorrow", "Fri, 31 Apr 2015 10:00:00 GMT", "Mon, 29 Feb 2021 10:00:00 GMT", "0", "2015",
                "Fri, 20 Mar 2015 25:00:00 GMT", "Fri, 20 Mar 2015", "20/03/2015", "null", "-1",
            ].filter { $0 != "0" }
            package.set(entry, field, to: dates.randomElement(using: &source) ?? "")
            return [.entry("date.invalid", entry, field)]
        },
        // The record says something else then, which is another finding, at the record.
        Mutation("expires before last-modified") { package, source in
            expires(&package, &source, in: -90_000) { ["date.expires-before-last-modified"] }
        },
        Mutation("expires equals last-modified") { package, source in
            expires(&package, &source, in: 0) { ["date.expires-equals-last-modified"] }
        },
        Mutation("an entry that has expired") { package, source in
            expires(&package, &source, in: 90_000) { [] }
        },
        Mutation("an entry that expires soon") { package, source in
            guard let entry = package.any(&source) else { return nil }
            let date = LinterTests.now + Int64.random(in: 1...7 * 86_400, using: &source)
            package.set(entry, 2, to: HTTPDate.format(date))
            return [.entry("date.expires-soon", entry, 2)]
                + disagreement(of: entry, in: package, isNew: entry.fields[2] == "NULL")
        },
        Mutation("last-modified in the future") { package, source in
            guard let entry = package.any(&source, where: { $0.fields[2] == "NULL" }) else { return nil }
            let date = LinterTests.now + Int64.random(in: 1...900_000_000, using: &source)
            package.set(entry, 1, to: HTTPDate.format(date))
            return [.entry("date.last-modified-in-future", entry, 1)]
                + disagreement(of: entry, in: package, isNew: false)
        },
        Mutation("last-modified before the web") { package, source in
            guard let entry = package.any(&source) else { return nil }
            let date = Timestamp(secondsSinceEpoch: Int64.random(in: 0...600_000_000, using: &source))
            package.set(entry, 1, to: HTTPDate.format(date))
            return [.entry("date.last-modified-implausible", entry, 1)]
                + disagreement(of: entry, in: package, isNew: false)
        },
    ]

    /// Lets an entry expire so many seconds after it was modified, so that it has expired.
    private static func expires(
        _ package: inout PlantedPackage,
        _ source: inout Source,
        in seconds: Int64,
        _ rules: () -> [String]
    ) -> [Expected]? {
        guard let entry = package.any(&source), let date = HTTPDate.parse(entry.fields[1]) else { return nil }
        package.set(entry, 2, to: HTTPDate.format(date + seconds))
        return rules().map { .entry($0, entry, 2) } + [.entry("date.expired", entry, 2)]
            + disagreement(of: entry, in: package, isNew: entry.fields[2] == "NULL")
    }

    /// What is found at the record of an entry that was changed; a date that the record has none of disagrees with nothing.
    static func disagreement(
        of entry: PlantedPackage.Entry,
        in package: PlantedPackage,
        isNew: Bool
    ) -> [Expected] {
        guard !isNew, let record = package.record(of: entry.url) else { return [] }
        return [.record("sidecar.disagrees", record)]
    }
}
