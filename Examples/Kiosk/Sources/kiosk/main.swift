import AFCCache
import AFCHTTP
import AFCHummingbird
import AFCURL
import Foundation
import Hummingbird

// kiosk PACKAGE URL [PORT]    serves the site at URL from the package, and a page of its own at /kiosk

let arguments = CommandLine.arguments
guard arguments.count >= 3, let port = Int(arguments.count > 3 ? arguments[3] : "8080") else {
    FileHandle.standardError.write(Data("usage: kiosk PACKAGE URL [PORT]\n".utf8))
    exit(64)
}

let now = Timestamp(secondsSinceEpoch: Int64(Date().timeIntervalSince1970))
let packages = try MountedPackages([arguments[1]], now: now)
let site = try WebURL(arguments[2])

let router = Router()
// The kiosk's own routes come first, so that no page of the package can take their place.
router.get("/kiosk") { _, _ in
    let lines = packages.packages().map { "<li>\(escaped($0.name))</li>" }.joined()
    return HTML(
        "<!DOCTYPE html><title>Kiosk</title><h1>Kiosk</h1><ul>\(lines)</ul><p>\(Date())</p><a href='/'>To the site</a>"
    )
}
// All other paths are the site's. The package is our own, so its pages may share our origin.
router.addMiddleware { PackageMiddleware(packages, site: .path("/", of: site, isTrusted: true)) }

let app = Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)))
try await app.runService()

/// Returns a text as the text of an element: a package may have any name.
@Sendable func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
}

/// A page as a response.
struct HTML: ResponseGenerator {
    let text: String

    init(_ text: String) { self.text = text }

    func response(from request: Request, context: some RequestContext) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(string: text))
        )
    }
}
