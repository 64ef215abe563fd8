import AFCCache
import AFCCaching
import AFCHTTP
import AFCURL
import Foundation

// reader PACKAGE        lists the pages
// reader PACKAGE URL    shows one as text

let arguments = CommandLine.arguments.dropFirst()
guard let package = arguments.first, arguments.count <= 2 else { fail("usage: reader PACKAGE [URL]", code: 64) }
let now = Timestamp(secondsSinceEpoch: Int64(Date().timeIntervalSince1970))

do {
    let packages = try MountedPackages([package], now: now)
    if arguments.count == 2 {
        try show(arguments[2], from: packages)
    } else {
        try list(packages)
    }
} catch {
    fail("\(error)", code: 1)
}

/// Prints the URL of each page.
func list(_ packages: MountedPackages) throws {
    var last: WebURL?
    while true {
        let resources = try packages.resources(after: last, limit: 1000)
        for resource in resources where resource.mediaType?.hasPrefix("text/html") == true { print(resource.url) }
        guard let end = resources.last else { return }
        last = end.url
    }
}

/// Prints a page as text.
func show(_ address: String, from packages: MountedPackages) throws {
    let request = OfflineRequest(url: try WebURL(address))
    let answer = try packages.respond(to: request, now: now, policy: OfflinePolicy(expired: .always))
    if let location = answer.resolution.fields[.location] {
        return print("This page is now at \(try WebURL(location, base: request.url))")
    }
    guard let body = answer.body, answer.resolution.status == .ok else {
        fail("the package has no page at '\(address)'", code: 1)
    }
    guard let bytes = try body.contents(upTo: 16 << 20) else { fail("'\(address)' is larger than 16 MiB", code: 1) }
    let text = String(decoding: bytes, as: UTF8.self)
    let isPage = answer.resolution.fields[.contentType]?.hasPrefix("text/html") == true
    print(isPage ? plainText(text) : text)
}

func fail(_ sentence: String, code: Int32) -> Never {
    FileHandle.standardError.write(Data("reader: \(sentence)\n".utf8))
    exit(code)
}
