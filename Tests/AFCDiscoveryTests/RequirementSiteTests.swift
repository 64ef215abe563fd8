import AFCURL
import TestSites
import Testing

@testable import AFCDiscovery

/// The site of requirements, crawled without a network: each answer is read, and what it refers to is asked for next.
struct RequirementSiteTests {
    private struct Crawl {
        var roles: [String: Set<Bool>] = [:]
        private let routes: [String: RequirementSite.Route]
        private let origin = "http://site.example"
        private var queue: [(path: String, loads: Destination)] = []
        private var known: Set<String> = []

        init() throws {
            let routes = RequirementSite.routes(origin: origin)
            self.routes = Dictionary(uniqueKeysWithValues: routes.map { ($0.path, $0) })
            follow(try WebURL(origin + RequirementSite.seed), .document, isRequisite: false)
            let robots = try #require(self.routes[RequirementSite.robots])
            // Reading robots.txt is the crawler's business.
            for line in String(decoding: robots.body, as: UTF8.self).split(whereSeparator: \.isNewline) {
                let parts = line.prefix { $0 != "#" }.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, parts[0].filter({ !$0.isWhitespace }).lowercased() == "sitemap" else {
                    continue
                }
                let address = parts[1].filter { !$0.isWhitespace }
                follow(try WebURL(address, base: WebURL(origin + robots.path)), .sitemap, isRequisite: false)
            }
            while let next = queue.popLast() { try read(next.path, next.loads) }
        }

        private mutating func follow(_ found: ResolvedReference) {
            guard !found.reference.isInert else { return }
            follow(found.url, found.reference.loads, isRequisite: found.kind == .requisite || found.kind == .frame)
        }

        private mutating func follow(_ url: WebURL, _ loads: Destination, isRequisite: Bool) {
            let path = String(url.description.dropFirst(origin.utf8.count))
            roles[path, default: []].insert(isRequisite)
            if known.insert(path).inserted { queue.append((path, loads)) }
        }

        private mutating func read(_ path: String, _ loads: Destination) throws {
            guard let route = routes[path] else { return }
            let url = try WebURL(origin + path)
            func values(_ name: String) -> [String] { route.fields.filter { $0.name == name }.map(\.value) }
            if let location = values("Location").first {
                follow(try WebURL(location, base: url), loads, isRequisite: roles[path]?.contains(true) == true)
                return
            }
            HeaderReferences.references(link: values("Link"), refresh: values("Refresh").first, url: url).forEach {
                follow($0)
            }
            // A stored block has its text as it is.
            let body = path.hasSuffix(".gz") ? Array(route.body.dropFirst(15).dropLast(8)) : route.body
            let type = values("Content-Type").first ?? ""
            let found = ReferenceExtractor.references(
                in: body,
                mediaType: type,
                charset: type.contains("charset=utf-8") ? "utf-8" : nil,
                url: url,
                destination: loads
            )
            found.references.forEach { follow($0) }
            for text in found.scriptTexts.texts where text.head == .none {
                follow(try WebURL(text.tail, base: url), text.loads, isRequisite: false)
            }
        }
    }

    @Test func `every reference is found with its role, and nothing else`() throws {
        let found = try Crawl().roles
        let expected = RequirementSite.required + RequirementSite.linked + RequirementSite.guesses
        #expect(expected.filter { found[$0] == nil } == [])
        #expect(found.keys.filter { !expected.contains($0) }.sorted() == [])
        #expect(RequirementSite.required.filter { found[$0]?.contains(true) != true } == [])
        #expect(RequirementSite.linked.filter { found[$0]?.contains(false) != true } == [])
        #expect(RequirementSite.decoys.filter { found[$0] != nil } == [])
    }

    @Test func `every target has one answer, and no decoy has one`() {
        let routes = RequirementSite.routes(origin: "http://site.example").map(\.path)
        #expect(Set(routes).count == routes.count)
        #expect(Set(RequirementSite.required).isDisjoint(with: RequirementSite.linked))
        #expect(Set(RequirementSite.decoys).isDisjoint(with: routes))
        #expect((RequirementSite.required + RequirementSite.linked).allSatisfy(routes.contains))
    }

    @Test func `each decoy occurs in some body or field`() {
        let texts = RequirementSite.routes(origin: "http://site.example").map { route in
            String(decoding: route.body, as: UTF8.self) + route.fields.map(\.value).joined(separator: "\n")
        }
        let written = RequirementSite.decoys.filter { !["/dir/entry.js", "/lib", "/r/js/dir/"].contains($0) }
        let missing = written.filter { decoy in
            let name = decoy.split(separator: "/").last.map(String.init) ?? decoy
            return !texts.contains { $0.contains(name) }
        }
        #expect(missing == [])
    }
}
