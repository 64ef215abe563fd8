import AFCCaching
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCURL
import Crypto
import HTTPTypes
import TestSupport

/// A made-up site: pages that need style sheets, scripts and images, texts that nothing needs, redirects.
struct Site {
    /// What it consists of.
    private(set) var resources: [PackageWriter.Resource] = []
    private var source: SeededGenerator
    private let count: Int

    /// Makes a site.
    ///
    /// - Parameters:
    ///   - count: How many resources have a body.
    ///   - seed: What decides on texts and dates.
    /// - Throws: Where a URL is none.
    init(_ count: Int, seed: UInt64) throws {
        self.count = count
        source = SeededGenerator(seed: seed)
        try fill()
    }

    private mutating func fill() throws {
        let pages = max(1, count / 4)
        let sheets = max(1, count / 12)
        let images = max(1, count / 4)
        try add("http://docs.example/", "text/html; charset=utf-8", page(0, sheets, images))
        for number in 1..<max(1, pages) {
            // A page that needs an encoded name, one that needs a fifth field, one over https, and plain ones.
            let url =
                switch number % 6 {
                case 1: "http://docs.example/guide/read%20me-\(number).html"
                case 2: "http://docs.example/find.php?q=\(number)"
                case 3: "https://secure.example/p\(number).html"
                default: "http://docs.example/guide/p\(number).html"
                }
            try add(url, "text/html; charset=utf-8", page(number, sheets, images))
        }
        for number in 0..<sheets {
            let text =
                "@charset \"utf-8\";\nbody { background: url(../img/i0.png) }\n/* \(words(40)) */\n"
                + String(repeating: "p { margin: \(number)px }\n", count: 200)
            try add("http://docs.example/css/s\(number).css", "text/css; charset=utf-8", Array(text.utf8))
        }
        for number in 0..<images { try add("http://docs.example/img/i\(number).png", "image/png", image()) }
        if count > 6 {
            for number in 0..<2 {
                let text = "export const words = '\(words(60))'\n"
                try add("http://docs.example/js/m\(number).js", "text/javascript", Array(text.utf8))
            }
            try add("http://docs.example/~copy/same-1.txt", "text/plain; charset=utf-8", Self.shared)
            try add("http://docs.example/~copy/same-2.txt", "text/plain; charset=utf-8", Self.shared)
            try redirect("http://docs.example/old", to: "/guide/p4.html", when: pages > 4)
            try redirect("http://docs.example/start", to: "/", when: true)
        }
        var number = 0
        while resources.count(where: { $0.entry != nil }) < count {
            let text = words(Int.random(in: 3...200, using: &source)) + "\n"
            if number % 3 == 2 {
                try add("http://docs.example/pictures/n\(number).png", "image/png", image())
            } else {
                try add("http://docs.example/notes/n\(number).txt", "text/plain; charset=utf-8", Array(text.utf8))
            }
            number += 1
        }
    }

    private static let shared = Array(String(repeating: "The same text at two places.\n", count: 60).utf8)

    private mutating func page(_ number: Int, _ sheets: Int, _ images: Int) -> [UInt8] {
        let base = number % 6 == 3 && number > 0 ? "https://secure.example" : "http://docs.example"
        var text = "<!doctype html>\n<meta charset=utf-8>\n<title>Page \(number)</title>\n"
        if base.hasPrefix("http:") {
            text += "<link rel=stylesheet href=\(base)/css/s\(number % sheets).css>\n"
            if count > 6, number % 2 == 0 {
                text += "<script type=module src=\(base)/js/m\(number % 4 / 2).js></script>\n"
            }
            text += "<p><img src=\(base)/img/i\(number % images).png alt='A picture'>\n"
        }
        for _ in 0..<Int.random(in: 2...6, using: &source) { text += "<p>\(words(12))\n" }
        return Array((text + "<p><a href=\(base)/>Start</a>\n").utf8)
    }

    private mutating func words(_ count: Int) -> String {
        let list = ["member", "manifest", "zip", "page", "crawl", "line", "härte", "entry", "cache", "offline", "42"]
        return (0..<count).map { _ in list.randomElement(using: &source) ?? "" }.joined(separator: " ")
    }

    private mutating func image() -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + (0..<Int.random(in: 1_100...1_500, using: &source)).map { _ in UInt8.random(in: 0...255, using: &source) }
    }

    private mutating func add(_ url: String, _ type: String, _ body: [UInt8]) throws {
        let url = try WebURL(url)
        let modified = Timestamp(secondsSinceEpoch: Int64.random(in: 1_000_000_000...1_700_000_000, using: &source))
        // A quarter may be used for a while without asking, and nothing expires soon.
        let expires = Int.random(in: 0..<4, using: &source) == 0 ? GoodPackages.created + 3_000_000 : nil
        let digest = SHA256.hash(data: body).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        var record = ResourceRecord(
            url: url,
            fetched: GoodPackages.created,
            size: Int64(body.count),
            sha256: digest
        )
        record.fields[.contentType] = type
        record.fields[.date] = HTTPDate.format(GoodPackages.created)
        record.fields[.lastModified] = HTTPDate.format(modified)
        record.fields[.eTag] = "\"\(resources.count)\""
        if let expires { record.fields[.expires] = HTTPDate.format(expires) }
        resources.append(
            PackageWriter.Resource(
                record: record,
                entry: ManifestEntry(url: url, lastModified: modified, expires: expires, mediaType: type),
                body: .bytes(body),
                isCompressible: type.hasPrefix("text/")
            )
        )
    }

    private mutating func redirect(_ url: String, to target: String, when isThere: Bool) throws {
        guard isThere else { return }
        var record = ResourceRecord(url: try WebURL(url), status: 301, fetched: GoodPackages.created)
        record.fields[.location] = target
        resources.append(PackageWriter.Resource(record: record, entry: nil, body: nil, isCompressible: false))
    }
}
