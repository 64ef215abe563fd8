import Foundation
import TestOrigin
import TestSupport
import Testing

/// The built program is ended in the middle of a crawl, and the same command resumes it.
struct InterruptedCrawlTests {
    /// Pages that lead to two others each, with an image each; every answer takes a while.
    private static let routes: [String: [TestOrigin.Answer]] = {
        var routes: [String: [TestOrigin.Answer]] = [:]
        for number in 0..<100 {
            let children = (1...2).map { 2 * number + $0 }.filter { $0 < 100 }
            let links = children.map { "<a href=/p\($0)>\($0)</a>" }.joined()
            var page = TestOrigin.Answer.html("\(links)<img src=/i\(number).png>")
            page.delay = .milliseconds(120)
            routes["/p\(number)"] = [page]
            var image = TestOrigin.Answer.text(String(repeating: "\(number) ", count: 500), type: "image/png")
            image.delay = .milliseconds(120)
            routes["/i\(number).png"] = [image]
        }
        return routes
    }()

    /// The state is written every two seconds; with two requests at once so many take longer, and all three times as long.
    private static let moment = 90

    @Test func `after an interruption the same command resumes and makes the same bytes`() async throws {
        let scratch = try Scratch()
        try await TestOrigin.withOrigin(Self.routes) { origin in
            let clock = ["SOURCE_DATE_EPOCH": "1700000000"]
            func arguments(_ name: String) -> [String] { ["pack", origin.base + "/p0", "-o", scratch.path(name)] }
            let whole = try Program.run(Program.afcache, arguments("whole.zip"), environment: clock)
            #expect(whole.status == 0, "\(whole.errors)")
            let requests = origin.requests.count
            #expect(requests == 203, "pages, images, the icon, robots.txt and one for the missing page")

            for (signal, status) in [(SIGKILL, -SIGKILL), (SIGTERM, 143)] {
                let began = origin.requests.count
                let slow = arguments("a.zip") + ["--connections", "2"]
                let program = try RunningProgram(Program.afcache, slow, environment: clock)
                try program.wait(until: "the crawl is in the middle") { origin.requests.count >= began + Self.moment }
                #expect(program.stop(signal) == status)
                let ending = signal == SIGTERM ? "resources are kept; the same command resumes the crawl\n" : ""
                #expect(program.errors.hasSuffix(ending), "\(program.errors)")
                #expect(scratch.names.contains("a.zip.crawl"))
                #expect(scratch.names.contains("a.zip.bodies"))
                #expect(!scratch.names.contains("a.zip"))

                let asked = origin.requests.count
                let result = try Program.run(Program.afcache, arguments("a.zip"), environment: clock)
                #expect(result.status == 0, "\(result.errors)")
                #expect(result.errors.hasPrefix("resuming an interrupted crawl with "), "\(result.errors)")
                #expect(origin.requests.count - asked < requests)
                #expect(scratch.names == ["a.zip", "whole.zip"])
                let isSame = try scratch.read("a.zip") == scratch.read("whole.zip")
                #expect(isSame)
                try FileManager.default.removeItem(atPath: scratch.path("a.zip"))
            }
        }
    }
}
