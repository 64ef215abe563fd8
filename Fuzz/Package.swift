// swift-tools-version: 6.2
import PackageDescription

// A package of its own: it is built with the coverage that libFuzzer asks for, and nothing else needs it. Its sources are
// links to the project's. The products are libraries, since libFuzzer brings the main function; scripts/fuzz links them.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .unsafeFlags(["-sanitize=fuzzer,address"]),
]

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let structuredFields = Target.Dependency.product(
    name: "RawStructuredFieldValues",
    package: "swift-http-structured-headers"
)

let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "FuzzZip", type: .static, targets: ["FuzzZip"]),
        .library(name: "FuzzManifest", type: .static, targets: ["FuzzManifest"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .target(
            name: "FuzzZip",
            dependencies: ["CLibzip", "ZipArchive"],
            swiftSettings: settings
        ),
        .target(
            name: "FuzzManifest",
            dependencies: ["PackageFormat"],
            swiftSettings: settings
        ),
        .target(name: "ZipArchive", dependencies: ["CLibdeflate", "CLibzip", "CPlatform", "CZlib"], swiftSettings: settings),
        .target(
            name: "PackageFormat",
            dependencies: ["HTTPCaching", "URLStandard", crypto, httpTypes],
            swiftSettings: settings
        ),
        .target(name: "HTTPCaching", dependencies: [httpTypes, structuredFields], swiftSettings: settings),
        .target(name: "URLStandard", dependencies: ["CLibidn2", "CLibpsl"], swiftSettings: settings),
        .systemLibrary(name: "CLibidn2", pkgConfig: "libidn2"),
        .systemLibrary(name: "CLibdeflate", pkgConfig: "libdeflate"),
        .systemLibrary(name: "CLibpsl", pkgConfig: "libpsl"),
        .systemLibrary(name: "CLibzip", pkgConfig: "libzip"),
        .systemLibrary(name: "CPlatform"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
    ]
)
