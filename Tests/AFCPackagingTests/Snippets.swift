import AFCPackaging
import Foundation

// The code of docs/reference/library.md, with the imports that it needs.

func packSite(_ url: URL, to file: URL) async throws {
    let key = URL(fileURLWithPath: "team")
    let report = try await Package.pack([url], to: file) { settings in
        settings.depth = 2
        settings.keys = [key]
    }
    print(report)
    for failure in report.failures { print(failure) }
}

func checkAndUse(_ file: URL, cache: URL, folder: URL) async throws {
    for finding in try await Package.lint(file) { print(finding) }
    try await Package.load(file, into: cache)
    try await Package.export(file, to: folder)
}
