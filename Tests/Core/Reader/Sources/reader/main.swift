import AFCCache
import AFCHTTP
import AFCTime
import AFCURL

// reader PACKAGE URL FOLDER: reads a page of a mounted package, and again once it is installed.

let arguments = CommandLine.arguments
guard arguments.count == 4 else { fatalError("reader PACKAGE URL FOLDER") }
let request = OfflineRequest(url: try WebURL(arguments[2]))
let cache = try DiskCache(path: arguments[3], access: .readWrite)

func page() throws -> [UInt8]? { try cache.respond(to: request, now: .now).body?.contents(upTo: 1 << 20) }

let name = try cache.mount(arguments[1], now: .now).name
guard let mounted = try page() else { fatalError("the mounted package has no such page") }
try cache.unmount(name)
_ = try await cache.install(arguments[1], now: .now)
guard try page() == mounted else { fatalError("the installed package has another page") }
print(String(decoding: mounted, as: UTF8.self), terminator: "")
try cache.close()
