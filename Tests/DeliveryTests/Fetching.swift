import Crypto
import Delivery
import Foundation
import HTTPCaching
import TestSupport
import Testing
import URLStandard

/// Downloads for tests: what is expected of them.
enum Fetching {
    static func options(_ change: (inout PackageDownload.Options) -> Void = { _ in }) -> PackageDownload.Options {
        var options = PackageDownload.Options(userAgent: "test/1", now: Timestamp(secondsSinceEpoch: 1_700_000_000))
        options.pause = .milliseconds(2)
        options.readTimeout = .seconds(5)
        change(&options)
        return options
    }

    /// Downloads, and compares what is delivered with what is served.
    static func expectWhole(
        _ file: ServedFile,
        from url: String,
        _ folder: String,
        options: PackageDownload.Options = options()
    ) async throws {
        let outcome = try await PackageDownload.fetch(try WebURL(url), into: folder, options: options)
        guard case .arrived(let package) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: package.path)) == Data(file.bytes))
        #expect(package.state.sha256 == file.digest)
        package.discard()
    }

    /// Downloads what can't be had.
    static func failure(
        from url: String,
        _ folder: String,
        options: PackageDownload.Options = options()
    ) async throws -> DeliveryError? {
        do {
            let outcome = try await PackageDownload.fetch(try WebURL(url), into: folder, options: options)
            Issue.record("\(outcome)")
            return nil
        } catch let error as DeliveryError {
            return error
        }
    }

    static func expectUnchanged(_ url: WebURL, _ folder: String, options: PackageDownload.Options) async throws {
        let outcome = try await PackageDownload.fetch(url, into: folder, options: options)
        guard case .unchanged = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    /// The one file of a folder whose name ends so.
    static func name(in folder: String, suffix: String) throws -> String {
        try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(suffix) })
    }
}
