import AFCHTTP
import AFCLinter
import AFCPackageFile
import AFCPackageFormat
import AFCURL
import Crypto
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Sound packages of several sizes, as this program writes them, from sites that are made up with a fixed seed.
enum GoodPackages {
    /// A package and what it is called in messages.
    struct Package: Sendable {
        var name: String
        var bytes: [UInt8]
    }

    /// Made once, since packing takes longer than planting.
    static let shared = Task { try await all() }

    static let created = LinterTests.now - 86_400

    private static func all() async throws -> [Package] {
        var packages: [Package] = []
        for count in [3, 12, 40, 200] {
            packages.append(try await package("site of \(count)", Site(count, seed: UInt64(count)).resources))
        }
        packages.append(
            try await package("as AFCache 0.13", Site(25, seed: 25).resources) { options in
                options.dialect = .five
                options.writesSidecar = false
                options.baseURL = try WebURL("http://docs.example/")
            }
        )
        packages.append(
            try await package("signed", Site(15, seed: 15).resources) { options in
                options.signers = [try #require(SigningKey(seed: [UInt8](repeating: 7, count: 32), comment: "key"))]
            }
        )
        return packages
    }

    private static func package(
        _ name: String,
        _ resources: [PackageWriter.Resource],
        _ change: (inout PackageWriter.Options) throws -> Void = { _ in }
    ) async throws -> Package {
        let scratch = try Scratch()
        var options = PackageWriter.Options(created: created, generator: "test/1")
        options.seeds = ["http://docs.example/"]
        try change(&options)
        let chosen = options.writesSidecar ? resources : resources.filter { $0.entry != nil }
        _ = try await PackageWriter.write(chosen, to: scratch.path("good.zip"), options: options)
        return Package(name: name, bytes: try scratch.read("good.zip"))
    }
}
