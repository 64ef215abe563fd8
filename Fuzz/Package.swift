// swift-tools-version: 6.2
import PackageDescription

// A package of its own: it is built with the coverage that libFuzzer asks for, and nothing else needs it. Its sources are
// reached by a link. The products are libraries, since libFuzzer brings the main function; scripts/fuzz links them.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // The project's traits.
    .define("Encryption"), .define("InternationalDomains"), .define("Libdeflate"), .define("PublicSuffixes"),
    .define("Zstandard"),
    .unsafeFlags(["-sanitize=fuzzer,address"]),
]

let libdeflate: Target.Dependency = "CLibdeflate"
let libidn2: Target.Dependency = "CLibidn2"
let libpsl: Target.Dependency = "CLibpsl"
let libzip: Target.Dependency = "CLibzip"
let libzstd: Target.Dependency = "CZstd"

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let structuredFields = Target.Dependency.product(
    name: "RawStructuredFieldValues",
    package: "swift-http-structured-headers"
)

/// A module of the project; `Project` is a link to its sources.
func module(_ path: String, _ dependencies: [Target.Dependency] = []) -> Target {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return .target(name: name, dependencies: dependencies, path: "Project/\(path)", swiftSettings: settings)
}

let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "FuzzZip", type: .static, targets: ["FuzzZip"]),
        .library(name: "FuzzManifest", type: .static, targets: ["FuzzManifest"]),
        .library(name: "FuzzChannel", type: .static, targets: ["FuzzChannel"]),
        .library(name: "FuzzPatch", type: .static, targets: ["FuzzPatch"]),
        .library(name: "FuzzRecords", type: .static, targets: ["FuzzRecords"]),
        .library(name: "FuzzHAR", type: .static, targets: ["FuzzHAR"]),
        .library(name: "FuzzZIM", type: .static, targets: ["FuzzZIM"]),
        .library(name: "FuzzSaved", type: .static, targets: ["FuzzSaved"]),
        .library(name: "FuzzRewriter", type: .static, targets: ["FuzzRewriter"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .target(
            name: "FuzzZip",
            dependencies: ["AFCFiles", "AFCPlatform", "AFCZip", "CLibzip"],
            swiftSettings: settings
        ),
        .target(name: "FuzzManifest", dependencies: ["AFCPackageFormat", "AFCURL"], swiftSettings: settings),
        .target(
            name: "FuzzChannel",
            dependencies: ["AFCChannel", "AFCCredentials", "AFCHTTP", "AFCText", "AFCURL"],
            swiftSettings: settings
        ),
        .target(
            name: "FuzzPatch",
            dependencies: [
                "AFCDelta", "AFCFiles", "AFCPackageFile", "AFCPackageFormat", "AFCPlatform", "AFCText", "AFCZip",
                "CZstd",
            ],
            swiftSettings: settings
        ),
        .target(name: "FuzzRecords", dependencies: ["AFCArchive"], swiftSettings: settings),
        .target(name: "FuzzHAR", dependencies: ["AFCArchive"], swiftSettings: settings),
        .target(name: "FuzzZIM", dependencies: ["AFCArchive"], swiftSettings: settings),
        .target(name: "FuzzSaved", dependencies: ["AFCArchive", httpTypes], swiftSettings: settings),
        .target(name: "FuzzRewriter", dependencies: ["AFCDiscovery", "AFCURL"], swiftSettings: settings),
        module(
            "Engines/AFCDelta",
            [
                "AFCFiles", "AFCHTTP", "AFCPackageFile", "AFCPackageFormat", "AFCText", "AFCURL", "AFCZip",
                crypto, httpTypes, libzstd,
            ]
        ),
        module(
            "Means/AFCPackageFile",
            ["AFCFiles", "AFCHTTP", "AFCPackageFormat", "AFCText", "AFCURL", "AFCZip", crypto, httpTypes]
        ),
        module("Rules/AFCDiscovery", ["AFCURL"]),
        module("Rules/AFCCredentials", ["AFCText", "AFCURL"]),
        module("Rules/AFCChannel", ["AFCHTTP", "AFCPackageFormat", "AFCText", "AFCURL", crypto]),
        module("Means/AFCZip", ["AFCFiles", "AFCPlatform", "AFCText", "CZlib", libdeflate, libzip]),
        module("Rules/AFCPackageFormat", ["AFCCaching", "AFCHTTP", "AFCText", "AFCURL", crypto, httpTypes]),
        module("Rules/AFCArchive", ["AFCHTTP", "AFCText", httpTypes]),
        module("Rules/AFCCaching", ["AFCHTTP", "AFCText", "AFCURL", httpTypes, structuredFields]),
        module("Means/AFCFiles", ["AFCPlatform", "AFCText"]),
        module("Rules/AFCHTTP", [httpTypes]),
        module("Rules/AFCText"),
        module("Rules/AFCURL", [libidn2, libpsl]),
        module("Means/AFCPlatform", ["CPlatform"]),
        .systemLibrary(name: "CLibidn2", path: "Project/C/CLibidn2", pkgConfig: "libidn2"),
        .systemLibrary(name: "CLibdeflate", path: "Project/C/CLibdeflate", pkgConfig: "libdeflate"),
        .systemLibrary(name: "CLibpsl", path: "Project/C/CLibpsl", pkgConfig: "libpsl"),
        .systemLibrary(name: "CLibzip", path: "Project/C/CLibzip", pkgConfig: "libzip"),
        .systemLibrary(name: "CPlatform", path: "Project/C/CPlatform"),
        .systemLibrary(name: "CZlib", path: "Project/C/CZlib", pkgConfig: "zlib"),
        .systemLibrary(name: "CZstd", path: "Project/C/CZstd", pkgConfig: "libzstd"),
    ]
)
