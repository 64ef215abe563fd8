import Foundation
import TestOrigin
import TestSupport
import Testing

/// What pages requested outside the packages is named when the server ends, with the built program.
struct StoppedTests {
    @Test func `what was stopped is named at the end, and links out are asked about as the option says`() async throws {
        let scratch = try Scratch()
        let site: [String: [TestOrigin.Answer]] = [
            "/": [.html("<link rel=icon href=data:,><a href='http://live.example/'>live</a>")]
        ]
        try await TestOrigin.withOrigin(site) { origin in
            let pack = ["pack", origin.base + "/", "-o", scratch.path("p.zip"), "--ignore-robots"]
            #expect(try Program.run(Program.afcache, pack).status == 0)
            let port = try #require(origin.base.split(separator: ":").last)
            for (options, asked) in [([], "200"), (["--external", "block"], "403")] {
                let server = try RunningProgram(
                    Program.afcache,
                    ["serve", scratch.path("p.zip"), "--port", "0"] + options
                )
                let address = try #require(try await server.firstLine()).dropFirst("serving at http://".count)
                    .dropLast()
                func status(_ host: String, _ path: String, _ fields: String...) throws -> String {
                    let format = ["-sS", "-o", scratch.path("body"), "-w", "%{http_code}"]
                    return try Program.run(
                        "curl",
                        format + fields + ["-H", "Host: \(host).localhost:\(address.split(separator: ":")[1])"]
                            + ["http://\(address)\(path)"]
                    ).text
                }
                let name = "127-0-0-1---\(port)"
                let leaving = "/.afcache/to?http%3A%2F%2Flive.example%2F"
                #expect(try status(name, leaving, "-H", "Accept: text/html") == asked)
                #expect(try status("tracker-example", "/t.js?token=s3cret") == "504")
                let report = "{\"csp-report\":{\"blocked-uri\":\"https://pix.example/%1B%5B31m?token=s3cret\"}}"
                let type = "Content-Type: application/csp-report"
                #expect(try status(name, "/.afcache/stopped", "-H", type, "-d", report) == "200")
                #expect(server.stop() == 0)
                #expect(
                    server.errors.contains(
                        """
                        note: 2 requests of pages to hosts outside the packages were stopped:
                          1 request for https://pix.example/%1B%5B31m
                          1 request for https://tracker.example/t.js

                        """
                    ),
                    "\(server.errors)"
                )
            }
        }
    }
}
