import Foundation
import TestOrigin
import TestSites
import TestSupport
import Testing

/// What Chromium paints of a site, and of the package that was made of it once the site has gone.
@Suite(.serialized, .fewAtOnce)
struct PixelTests {
    /// One page that frames all others, so that one start of the browser shows them all.
    private static let gallery = "/gallery.html"
    /// The pages that it frames: all but one that a Refresh field leads elsewhere, since a package's isn't served.
    private static let framed = RequirementSite.pages.filter { $0 != "/refresh-field.html" }
    /// An image that no two references share.
    private static let image = "/r/img-src.png"

    private func serveSite(at origin: TestOrigin) {
        for route in RequirementSite.routes(origin: origin.base) {
            origin.set(route.path, TestOrigin.Answer(route.status, route.fields, body: route.body))
        }
        let frames = Self.framed.map { "<iframe src='\($0)' width=380 height=400></iframe>" }.joined()
        origin.set(Self.gallery, .html("<!DOCTYPE html><title>Gallery</title>\(frames)"))
    }

    /// Packs the site and loads it into a store of its own.
    private func pack(_ origin: TestOrigin, _ arguments: String...) async throws -> Scratch {
        let scratch = try Scratch()
        let seeds = [RequirementSite.seed, Self.gallery].map { origin.base + $0 }
        let packed = try await Programs.run(
            Program.afcache,
            ["pack"] + seeds + ["--sitemaps", "-o", scratch.path("site.zip")] + arguments
        )
        try #require(packed.status == 0, "\(packed.errors)")
        try await Served.command("load", scratch.path("site.zip"), "--cache", scratch.path("store"))
        return scratch
    }

    /// What a new browser paints, as the bytes of a PNG file.
    private func paint(_ url: String, _ arguments: String...) async throws -> [UInt8] {
        // Now and then a browser that makes its profile ends without having asked for anything.
        for _ in 0..<3 {
            let scratch = try Scratch()
            let result = try await Programs.run(
                "chromium",
                [
                    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                    "--disable-background-networking", "--disable-component-update", "--disable-sync",
                    "--disable-default-apps", "--hide-scrollbars", "--window-size=1560,2860",
                    // No name is looked up.
                    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                    // Its clock stands still while it waits for an answer, so that what comes late is painted, too.
                    "--virtual-time-budget=10000", "--user-data-dir=\(scratch.path("profile"))",
                    "--screenshot=\(scratch.path("page.png"))",
                ] + arguments + [url],
                environment: ["HOME": scratch.path]
            )
            if scratch.names.contains("page.png") { return try scratch.read("page.png") }
            try #require(result.status == 0, "\(result.errors)")
        }
        throw Missing("chromium paints nothing")
    }

    private func paintOffline(_ url: String, _ scratch: Scratch) async throws -> [UInt8] {
        try await Served.run([], in: scratch) { served in
            try await paint(url, "--proxy-server=\(served.base)", "--proxy-bypass-list=<-loopback>")
        }
    }

    @Test func `an offline package renders pixel-identical to the live site, and one without an image doesn't`()
        async throws
    {
        let (url, live, whole, lacking) = try await TestOrigin.withOrigin([:]) { origin in
            serveSite(at: origin)
            let whole = try await pack(origin)
            let lacking = try await pack(origin, "--exclude", Self.image)
            let asked = origin.requests.count
            let live = try await paint(origin.base + Self.gallery)
            let targets = Set(origin.targets[asked...])
            #expect(Set(Self.framed).subtracting(targets) == [], "the browser has asked for every page")
            #expect(targets.contains(Self.image))
            return (origin.base + Self.gallery, live, whole, lacking)
        }
        let offline = try await paintOffline(url, whole)
        let isIdentical = offline == live
        #expect(isIdentical, "\(live.count) and \(offline.count) bytes of PNG")
        let differs = try await paintOffline(url, lacking) != live
        #expect(differs)
    }
}
