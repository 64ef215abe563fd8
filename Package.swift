// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "afcache",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "PackageFormat", targets: ["PackageFormat"])
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .target(
            name: "OfflineCache",
            dependencies: [
                "CPlatform", "HTTPCaching", "PackageFile", "PackageFormat", "URLStandard", "ZipArchive",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "PackageFile",
            dependencies: ["HTTPCaching", "PackageFormat", "URLStandard", "ZipArchive"],
            swiftSettings: settings
        ),
        .target(
            name: "PackageFormat",
            dependencies: [
                "HTTPCaching", "URLStandard",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "HTTPCaching",
            dependencies: [.product(name: "HTTPTypes", package: "swift-http-types")],
            swiftSettings: settings
        ),
        .target(name: "ZipArchive", dependencies: ["CLibzip", "CZlib"], swiftSettings: settings),
        .target(name: "URLStandard", dependencies: ["CLibidn2"], swiftSettings: settings),
        .systemLibrary(name: "CLibzip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"]), .brew(["libzip"])]),
        .systemLibrary(name: "CPlatform"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(name: "CLibidn2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"]), .brew(["libidn2"])]),
        .testTarget(
            name: "PackageFormatTests",
            dependencies: ["PackageFormat", "HTTPCaching", "URLStandard"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HTTPCachingTests",
            dependencies: ["HTTPCaching", .product(name: "HTTPTypes", package: "swift-http-types")],
            exclude: ["Fixtures"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "URLStandardTests",
            dependencies: ["URLStandard"],
            exclude: ["Fixtures"],
            swiftSettings: settings
        ),
    ]
)
