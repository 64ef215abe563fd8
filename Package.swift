// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Products of other packages, by the name that this manifest uses for them.
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPCompression = Target.Dependency.product(name: "NIOHTTPCompression", package: "swift-nio-extras")
let nioHPACK = Target.Dependency.product(name: "NIOHPACK", package: "swift-nio-http2")
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let structuredFields = Target.Dependency.product(
    name: "RawStructuredFieldValues",
    package: "swift-http-structured-headers"
)
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let swiftASN1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")

let package = Package(
    name: "afcache",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "afcache", targets: ["afcache"]),
        .library(name: "OfflineCache", targets: ["OfflineCache", "HTTPCaching", "URLStandard"]),
        .library(name: "Resolver", targets: ["Resolver", "OfflineCache", "HTTPCaching", "URLStandard"]),
        .library(name: "Packager", targets: ["Packager", "PackageFile", "PackageFormat"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // The program, and what it is made of, from the top down; docs/architecture.md draws the arrows.
        .executableTarget(
            name: "afcache",
            dependencies: [
                "BoundedYAML", "CertificateAuthority", "Delivery", "HTTPCaching", "Linter", "OfflineCache",
                "OfflineServer",
                "PackageFile", "PackageFormat", "Packager", "Provisioning", "Resolver", "URLStandard", "ZipArchive",
                argumentParser, crypto, httpTypes, unixSignals,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Packager",
            dependencies: [
                "Discovery", "HTTPCaching", "OriginClient", "PackageFile", "PackageFormat", "URLStandard", "ZipArchive",
                asyncHTTPClient, crypto, grdb, httpTypes, nioCore, nioHTTP1, nioHTTPCompression, nioPosix, nioSSL,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Linter",
            dependencies: [
                "BoundedYAML", "Discovery", "HTTPCaching", "PackageFile", "PackageFormat", "URLStandard", "ZipArchive",
                crypto, httpTypes,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "OfflineServer",
            dependencies: [
                "HTTPCaching", "OfflineCache", "Resolver", "URLStandard",
                httpTypes, logging, nioCore, nioHPACK, nioHTTP1, nioHTTP2, nioPosix, nioSSL, nioTLS, serviceLifecycle,
                unixSignals,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "CertificateAuthority",
            dependencies: ["HTTPCaching", crypto, swiftASN1, x509],
            swiftSettings: settings
        ),
        .target(
            name: "Resolver",
            dependencies: [
                "HTTPCaching", "OfflineCache", "OriginClient", "URLStandard",
                asyncHTTPClient, httpTypes, nioCore, nioHTTP1, nioPosix, nioSSL,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "OfflineCache",
            dependencies: [
                "CDatabase", "CPlatform", "HTTPCaching", "PackageFile", "PackageFormat", "URLStandard", "ZipArchive",
                crypto, grdb, httpTypes,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Delivery",
            dependencies: [
                "HTTPCaching", "OriginClient", "PackageFormat", "URLStandard", "ZipArchive",
                asyncHTTPClient, crypto, httpTypes, nioCore, nioHTTP1, nioPosix, nioSSL,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "PackageFile",
            dependencies: ["HTTPCaching", "PackageFormat", "URLStandard", "ZipArchive", crypto],
            swiftSettings: settings
        ),
        .target(
            name: "OriginClient",
            dependencies: [
                "URLStandard", asyncHTTPClient, httpTypes, nioCore, nioHTTP1, nioHTTP2, nioPosix, nioSSL, nioTLS,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "ZipArchive",
            dependencies: ["CLibdeflate", "CLibzip", "CPlatform", "CZlib"],
            swiftSettings: settings
        ),

        // What the benchmarks measure that no command shows.
        .executableTarget(
            name: "storebench",
            dependencies: [
                "HTTPCaching", "OfflineCache", "PackageFile", "PackageFormat", "URLStandard", "ZipArchive",
                crypto, httpTypes,
            ],
            path: "Benchmarks/StoreBench",
            swiftSettings: settings
        ),

        // Pure: no input, no output, no clock.
        .target(
            name: "Provisioning",
            dependencies: ["BoundedYAML", "PackageFormat", "URLStandard"],
            swiftSettings: settings
        ),
        .target(name: "BoundedYAML", dependencies: ["PackageFormat", yams], swiftSettings: settings),
        .target(name: "Discovery", dependencies: ["URLStandard"], swiftSettings: settings),
        .target(
            name: "PackageFormat",
            dependencies: ["HTTPCaching", "URLStandard", crypto, httpTypes],
            swiftSettings: settings
        ),
        .target(name: "HTTPCaching", dependencies: [httpTypes, structuredFields], swiftSettings: settings),
        .target(name: "URLStandard", dependencies: ["CLibidn2", "CLibpsl"], swiftSettings: settings),

        // C libraries.
        .systemLibrary(name: "CLibidn2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"]), .brew(["libidn2"])]),
        .systemLibrary(
            name: "CLibdeflate",
            pkgConfig: "libdeflate",
            providers: [.apt(["libdeflate-dev"]), .brew(["libdeflate"])]
        ),
        .systemLibrary(name: "CLibpsl", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"]), .brew(["libpsl"])]),
        .systemLibrary(name: "CLibzip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"]), .brew(["libzip"])]),
        .systemLibrary(name: "CPlatform"),
        .systemLibrary(name: "CDatabase", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),

        // Tests, in the same order from the bottom up.
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(
            name: "URLStandardTests",
            dependencies: ["URLStandard"],
            exclude: ["Fixtures"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HTTPCachingTests",
            dependencies: ["HTTPCaching", httpTypes],
            exclude: ["Fixtures"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PackageFormatTests",
            dependencies: ["HTTPCaching", "PackageFormat", "URLStandard", httpTypes],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PackageFileTests",
            dependencies: [
                "HTTPCaching", "PackageFile", "PackageFormat", "TestSupport", "URLStandard", "ZipArchive", crypto,
                httpTypes,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ZipArchiveTests",
            dependencies: [
                "HTTPCaching", "Linter", "PackageFile", "PackageFormat", "TestSupport", "URLStandard", "ZipArchive",
                crypto,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "OriginClientTests",
            dependencies: ["OriginClient", httpTypes, nioCore, nioPosix],
            swiftSettings: settings
        ),
        .testTarget(
            name: "OfflineCacheTests",
            dependencies: [
                "HTTPCaching", "OfflineCache", "PackageFile", "PackageFormat", "TestSupport", "URLStandard", httpTypes,
                "receivingwriter",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "OfflineServerTests",
            dependencies: [
                "HTTPCaching", "OfflineCache", "OfflineServer", "PackageFile", "PackageFormat", "TestSupport",
                "URLStandard",
                httpTypes, logging, nioCore, nioEmbedded, nioHTTP1, nioHTTP2, nioPosix, nioSSL, serviceLifecycle,
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "receivingwriter",
            dependencies: ["HTTPCaching", "OfflineCache", "URLStandard", httpTypes],
            path: "Tests/ReceivingWriter",
            swiftSettings: settings
        ),
        .target(
            name: "TestOrigin",
            dependencies: [
                "CertificateAuthority", "HTTPCaching",
                nioCore, nioHPACK, nioHTTP1, nioHTTP2, nioPosix, nioSSL, nioTLS,
            ],
            path: "Tests/TestOrigin",
            swiftSettings: settings
        ),
        .target(name: "TestSites", path: "Tests/TestSites", swiftSettings: settings),
        .testTarget(
            name: "CertificateAuthorityTests",
            dependencies: ["CertificateAuthority", "HTTPCaching", "TestSupport", nioSSL],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ResolverTests",
            dependencies: [
                "HTTPCaching", "OfflineCache", "PackageFile", "PackageFormat", "Resolver", "TestOrigin", "TestSupport",
                "URLStandard", httpTypes, nioCore, nioPosix,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ProvisioningTests",
            dependencies: ["BoundedYAML", "Provisioning"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DeliveryTests",
            dependencies: [
                "Delivery", "HTTPCaching", "OriginClient", "TestOrigin", "TestSupport", "URLStandard",
                crypto, httpTypes, nioCore, nioPosix, nioSSL,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PackagerTests",
            dependencies: [
                "HTTPCaching", "OriginClient", "PackageFile", "PackageFormat", "Packager", "TestOrigin",
                "TestSites", "URLStandard", "ZipArchive",
                grdb, httpTypes, nioCore,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DiscoveryTests",
            dependencies: ["Discovery", "TestSites", "URLStandard"],
            exclude: ["Fixtures"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "LinterTests",
            dependencies: [
                "BoundedYAML", "HTTPCaching", "Linter", "OfflineCache", "PackageFile", "PackageFormat", "TestSupport",
                "URLStandard", "ZipArchive", crypto, httpTypes,
            ],
            exclude: ["Programs"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ProgramTests",
            dependencies: [
                "BoundedYAML", "HTTPCaching", "Linter", "PackageFormat", "Packager", "TestSupport", "URLStandard",
                "afcache", argumentParser, httpTypes,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ClientTests",
            dependencies: ["TestOrigin", "TestSites", "TestSupport", "afcache"],
            exclude: ["Programs"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["TestOrigin", "TestSupport", "afcache"],
            exclude: ["Help"],
            swiftSettings: settings
        ),
    ]
)
