import AFCPackaging
import Foundation

// The code of docs/reference/library.md, with the imports that it needs.

func packSite(_ url: URL, to file: URL) async throws {
    let report = try await Package.pack([url], to: file) { $0.depth = 2 }
    print(report)
    for failure in report.failures { print(failure) }
}

func signCheckAndUse(_ file: URL, key: URL, cache: URL, folder: URL) async throws {
    try await Package.sign(file, with: [key])
    for finding in try await Package.lint(file) { print(finding) }
    try await Package.load(file, into: cache)
    try await Package.export(file, to: folder)
}
