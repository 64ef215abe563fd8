import AFCCaching
import AFCDelivery
import AFCHTTP
import AFCURL
import Crypto
import Foundation
import TestSupport
import Testing

extension PackageDownload.Options {
    /// Waits so long that a machine that is busy with other tests is never taken for a silent server.
    static func patient(userAgent: String, now: Timestamp) -> Self {
        var options = Self(userAgent: userAgent, now: now)
        options.readTimeout = .seconds(600)
        options.connectTimeout = .seconds(600)
        return options
    }
}

/// Downloads for tests: what is expected of them.
enum Fetching {
    static func options(_ change: (inout PackageDownload.Options) -> Void = { _ in }) -> PackageDownload.Options {
        var options = PackageDownload.Options.patient(
            userAgent: "test/1",
            now: Timestamp(secondsSinceEpoch: 1_700_000_000)
        )
        options.pause = .milliseconds(2)
        change(&options)
        return options
    }

    /// Downloads, and lets the origin know what arrived.
    static func fetch(_ url: WebURL, into folder: String, options: PackageDownload.Options) async throws(DeliveryError)
        -> PackageDownload.Outcome
    {
        let arrivals = Arrivals.current
        return try await PackageDownload.fetch(url, into: folder, options: options) { count, _ in arrivals?.note(count)
        }
    }

    /// Downloads, and compares what is delivered with what is served.
    static func expectWhole(
        _ file: ServedFile,
        from url: String,
        _ folder: String,
        options: PackageDownload.Options = options()
    ) async throws {
        let outcome = try await fetch(try WebURL(url), into: folder, options: options)
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
            let outcome = try await fetch(try WebURL(url), into: folder, options: options)
            Issue.record("\(outcome)")
            return nil
        } catch let error as DeliveryError {
            return error
        }
    }

    static func expectUnchanged(_ url: WebURL, _ folder: String, options: PackageDownload.Options) async throws {
        let outcome = try await fetch(url, into: folder, options: options)
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
