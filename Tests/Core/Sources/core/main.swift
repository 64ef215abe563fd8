import AFCache
import Foundation

// core PACKAGE URL FOLDER: reads a page of a mounted package, and again once it is installed.

let arguments = CommandLine.arguments
guard arguments.count == 4, let page = URL(string: arguments[2]) else { fatalError("core PACKAGE URL FOLDER") }
let package = URL(fileURLWithPath: arguments[1])
let cache = try AFCache(directory: URL(fileURLWithPath: arguments[3]))
cache.isOffline = true
let name = try await cache.mount(package).name
let (mounted, _) = try await cache.data(from: page)
try await cache.install(package, name: "installed")
try await cache.unmount(name)
let (installed, _) = try await cache.data(from: page)
guard mounted == installed else { fatalError("the installed package has another page") }
print(String(decoding: installed, as: UTF8.self), terminator: "")
try await cache.close()
