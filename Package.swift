// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Products of other packages, by the name that this manifest uses for them.
let asyncHTTPClient = Target.Dependency.product(
    name: "AsyncHTTPClient",
    package: "async-http-client",
    condition: .when(traits: ["AsyncHTTPClient"])
)
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let hummingbird = Target.Dependency.product(
    name: "Hummingbird",
    package: "hummingbird",
    condition: .when(traits: ["Hummingbird"])
)
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
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

// What the public API of an engine shows of the floors below comes with its product.
let packageModules = ["AFCPackageFile", "AFCPackageFormat", "AFCZip", "AFCText", "AFCHTTP", "AFCURL", "AFCFiles"]

let package = Package(
    name: "afcache",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "afcache", targets: ["afcache"]),
        .library(
            name: "AFCCacheKit",
            targets: ["AFCCacheKit", "AFCResolver", "AFCCache"] + packageModules + ["AFCCaching"]
        ),
        .library(name: "AFCCache", targets: ["AFCCache"] + packageModules + ["AFCCaching"]),
        .library(name: "AFCResolver", targets: ["AFCResolver", "AFCCache"] + packageModules + ["AFCCaching"]),
        .library(
            name: "AFCServer",
            targets: ["AFCServer", "AFCResolver", "AFCCache"] + packageModules + ["AFCCaching"]
        ),
        .library(
            name: "AFCPackager",
            targets: ["AFCPackager", "AFCCrawler", "AFCCrawlRules", "AFCCredentials", "AFCBrowser"] + packageModules
        ),
        .library(name: "AFCLinter", targets: ["AFCLinter", "AFCYAML"] + packageModules),
        // Empty without the trait of the same purpose; docs/decisions/0023-traits.md.
        .library(
            name: "AFCAsyncHTTPClient",
            targets: ["AFCAsyncHTTPClient", "AFCResolver", "AFCCache"] + packageModules + ["AFCCaching"]
        ),
        .library(name: "AFCHummingbird", targets: ["AFCHummingbird", "AFCCache"] + packageModules + ["AFCCaching"]),
    ],
    traits: [
        .trait(name: "AsyncHTTPClient", description: "AFCAsyncHTTPClient: the cache for users of AsyncHTTPClient."),
        .trait(name: "Hummingbird", description: "AFCHummingbird: packages and caches served by Hummingbird."),
        .default(enabledTraits: []),
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
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // The program, and what it is made of, from the top down; docs/architecture.md lists the floors.
        .executableTarget(
            name: "afcache",
            dependencies: [
                "AFCPlatform", "AFCText", "AFCHTTP", "AFCFiles",
                "AFCAuthority", "AFCBrowser", "AFCDelivery", "AFCDelta", "AFCDiscovery", "AFCProvisioning",
                "AFCCaching",
                "AFCLinter", "AFCCache", "AFCSearch", "AFCServer",
                "AFCCrawler", "AFCCrawlRules", "AFCCredentials", "AFCPackageFile", "AFCPackageFormat", "AFCPackager",
                "AFCRecorder",
                "AFCSyncFile", "AFCChannel", "AFCResolver", "AFCTrial", "AFCURL", "AFCZip",
                argumentParser, crypto, httpTypes, unixSignals,
            ],
            path: "Sources/Program/afcache",
            swiftSettings: settings
        ),
        .target(
            name: "AFCBrowser",
            dependencies: ["AFCPlatform", "AFCText", "AFCFiles", "AFCURL", nioCore, nioPosix],
            path: "Sources/Engines/AFCBrowser",
            swiftSettings: settings
        ),
        .target(
            name: "AFCTrial",
            dependencies: [
                "AFCText", "AFCHTTP", "AFCFiles",
                "AFCBrowser", "AFCCache", "AFCCaching", "AFCDiscovery", "AFCPackageFile", "AFCPackageFormat",
                "AFCServer", "AFCURL", "AFCZip",
                httpTypes, nioCore,
            ],
            path: "Sources/Engines/AFCTrial",
            swiftSettings: settings
        ),
        .target(
            name: "AFCRecorder",
            dependencies: [
                "AFCText", "AFCHTTP", "AFCFiles",
                "AFCCrawler", "AFCCrawlRules", "AFCCredentials", "AFCOrigin", "AFCPackageFile", "AFCPackageFormat",
                "AFCPackager",
                "AFCResolver", "AFCServer", "AFCURL",
                httpTypes, nioCore,
            ],
            path: "Sources/Engines/AFCRecorder",
            swiftSettings: settings
        ),
        .target(
            name: "AFCPackager",
            dependencies: [
                "AFCPlatform", "AFCText", "AFCHTTP", "AFCFiles",
                "AFCCrawler", "AFCCrawlRules", "AFCCredentials", "AFCPackageFile", "AFCPackageFormat", "AFCURL",
                "AFCZip",
                crypto, httpTypes,
            ],
            path: "Sources/Engines/AFCPackager",
            swiftSettings: settings
        ),
        .target(
            name: "AFCCrawler",
            dependencies: [
                "AFCPlatform", "AFCText", "AFCHTTP", "AFCFiles",
                "AFCBrowser", "AFCCaching", "AFCCoding", "AFCCrawlRules", "AFCCredentials", "AFCDiscovery",
                "AFCOrigin", "AFCPackageFile", "AFCPackageFormat", "AFCURL", "AFCZip",
                crypto, grdb, httpTypes, nioCore,
            ],
            path: "Sources/Engines/AFCCrawler",
            swiftSettings: settings
        ),
        .target(
            name: "AFCLinter",
            dependencies: [
                "AFCPlatform", "AFCText", "AFCHTTP", "AFCFiles",
                "AFCYAML", "AFCDiscovery", "AFCCaching", "AFCPackageFile", "AFCPackageFormat", "AFCURL", "AFCZip",
                crypto, httpTypes,
            ],
            path: "Sources/Engines/AFCLinter",
            swiftSettings: settings
        ),
        .target(
            name: "AFCCacheKit",
            dependencies: [
                "AFCPlatform", "AFCText", "AFCHTTP", "AFCFiles", "AFCMemory", "AFCCaching", "AFCCache",
                "AFCChannel", "AFCCoding", "AFCDelivery", "AFCOrigin", "AFCProvisioning", "AFCPackageFile",
                "AFCPackageFormat", "AFCResolver", "AFCURL", "AFCZip", crypto, httpTypes, nioCore,
            ],
            path: "Sources/App/AFCCacheKit",
            swiftSettings: settings
        ),
        .target(
            name: "AFCAsyncHTTPClient",
            dependencies: [
                "AFCText", "AFCHTTP", "AFCCaching", "AFCCache", "AFCFiles", "AFCPlatform", "AFCResolver", "AFCURL",
                asyncHTTPClient, httpTypes, nioCore, nioHTTP1,
            ],
            path: "Sources/App/AFCAsyncHTTPClient",
            swiftSettings: settings
        ),
        .target(
            name: "AFCHummingbird",
            dependencies: [
                "AFCHTTP", "AFCCaching", "AFCCache", "AFCFiles", "AFCPlatform", "AFCServer", "AFCURL",
                httpTypes, hummingbird, nioCore,
            ],
            path: "Sources/App/AFCHummingbird",
            swiftSettings: settings
        ),
        .target(
            name: "AFCServer",
            dependencies: [
                "AFCPlatform", "AFCText", "AFCHTTP", "AFCFiles", "AFCMemory", "AFCCaching", "AFCCache", "AFCResolver",
                "AFCOrigin", "AFCDiscovery", "AFCPackageFormat", "AFCSearch", "AFCURL", crypto, httpTypes, logging,
                nioCore, nioHPACK,
                nioHTTP1, nioHTTP2, nioPosix, nioSSL, nioTLS, serviceLifecycle, unixSignals,
            ],
            path: "Sources/Engines/AFCServer",
            swiftSettings: settings
        ),
        .target(
            name: "AFCSearch",
            dependencies: [
                "AFCPlatform", "AFCText", "AFCHTTP", "AFCFiles",
                "CDatabase", "AFCCache", "AFCDiscovery", "AFCURL",
                grdb, httpTypes,
            ],
            path: "Sources/Engines/AFCSearch",
            swiftSettings: settings
        ),
        .target(
            name: "AFCAuthority",
            dependencies: ["AFCPlatform", "AFCText", "AFCHTTP", "AFCFiles", crypto, swiftASN1, x509],
            path: "Sources/Engines/AFCAuthority",
            swiftSettings: settings
        ),
        .target(
            name: "AFCResolver",
            dependencies: [
                "AFCPlatform", "AFCText", "AFCHTTP", "AFCMemory", "AFCCaching", "AFCCache", "AFCOrigin", "AFCURL",
                httpTypes, nioCore, nioPosix, nioSSL,
            ],
            path: "Sources/Engines/AFCResolver",
            swiftSettings: settings
        ),
        .target(
            name: "AFCCache",
            dependencies: [
                "AFCPlatform", "AFCText", "AFCHTTP", "AFCFiles",
                "CDatabase", "CPlatform", "AFCCaching", "AFCDiscovery", "AFCPackageFile", "AFCPackageFormat", "AFCURL",
                "AFCZip",
                crypto, grdb, httpTypes,
            ],
            path: "Sources/Engines/AFCCache",
            swiftSettings: settings
        ),
        .target(
            name: "AFCDelivery",
            dependencies: [
                "AFCPlatform", "AFCText", "AFCHTTP", "AFCFiles",
                "AFCCaching", "AFCCredentials", "AFCOrigin", "AFCPackageFile", "AFCPackageFormat", "AFCURL", "AFCZip",
                crypto, httpTypes, nioCore,
            ],
            path: "Sources/Engines/AFCDelivery",
            swiftSettings: settings
        ),
        .target(
            name: "AFCDelta",
            dependencies: ["AFCText", "AFCFiles", "CZstd", "AFCPackageFile", "AFCPackageFormat", "AFCZip", crypto],
            path: "Sources/Engines/AFCDelta",
            swiftSettings: settings
        ),
        .target(
            name: "AFCProvisioning",
            dependencies: [
                "AFCPlatform", "AFCText", "AFCHTTP", "AFCFiles", "AFCCaching", "AFCCache", "AFCChannel",
                "AFCCredentials",
                "AFCDelivery", "AFCDelta", "AFCOrigin", "AFCPackageFile", "AFCPackageFormat", "AFCURL", "AFCZip",
            ],
            path: "Sources/Engines/AFCProvisioning",
            swiftSettings: settings
        ),
        .target(
            name: "AFCPackageFile",
            dependencies: [
                "AFCText", "AFCHTTP", "AFCFiles", "AFCPackageFormat", "AFCURL", "AFCZip", crypto,
                httpTypes,
            ],
            path: "Sources/Formats/AFCPackageFile",
            swiftSettings: settings
        ),
        .target(
            name: "AFCOrigin",
            dependencies: [
                "AFCPlatform", "AFCHTTP", "AFCURL", httpTypes, nioCore, nioHPACK, nioHTTP2, nioPosix, nioSSL, nioTLS,
            ],
            path: "Sources/Formats/AFCOrigin",
            swiftSettings: settings
        ),
        .target(
            name: "AFCCoding",
            dependencies: ["AFCHTTP", "AFCZip", "CBrotli", "CZstd", httpTypes],
            path: "Sources/Formats/AFCCoding",
            swiftSettings: settings
        ),
        .target(
            name: "AFCZip",
            dependencies: ["AFCPlatform", "AFCText", "AFCFiles", "CLibdeflate", "CLibzip", "CZlib"],
            path: "Sources/Formats/AFCZip",
            swiftSettings: settings
        ),

        // What the benchmarks measure that no command shows.
        .executableTarget(
            name: "storebench",
            dependencies: [
                "AFCText", "AFCHTTP", "AFCFiles",
                "AFCCaching", "AFCCache", "AFCDiscovery", "AFCPackageFile", "AFCPackageFormat", "AFCURL", "AFCZip",
                crypto, httpTypes,
            ],
            path: "Benchmarks/StoreBench",
            swiftSettings: settings
        ),

        .executableTarget(
            name: "appbench",
            dependencies: ["AFCCacheKit"],
            path: "Benchmarks/AppBench",
            swiftSettings: settings
        ),

        // Pure: no input, no output, no clock.
        .target(
            name: "AFCCredentials",
            dependencies: ["AFCText", "AFCURL"],
            path: "Sources/Formats/AFCCredentials",
            swiftSettings: settings
        ),
        .target(
            name: "AFCChannel",
            dependencies: ["AFCText", "AFCHTTP", "AFCPackageFormat", "AFCURL", crypto],
            path: "Sources/Formats/AFCChannel",
            swiftSettings: settings
        ),
        .target(
            name: "AFCSyncFile",
            dependencies: ["AFCText", "AFCYAML", "AFCPackageFormat", "AFCURL"],
            path: "Sources/Formats/AFCSyncFile",
            swiftSettings: settings
        ),
        .target(
            name: "AFCYAML",
            dependencies: ["AFCText", yams],
            path: "Sources/Formats/AFCYAML",
            swiftSettings: settings
        ),
        .target(
            name: "AFCCrawlRules",
            dependencies: [
                "AFCText", "AFCHTTP", "AFCCaching", "AFCCredentials", "AFCDiscovery", "AFCPackageFormat", "AFCURL",
                httpTypes,
            ],
            path: "Sources/Formats/AFCCrawlRules",
            swiftSettings: settings
        ),
        .target(
            name: "AFCDiscovery",
            dependencies: ["AFCPlatform", "AFCURL"],
            path: "Sources/Formats/AFCDiscovery",
            swiftSettings: settings
        ),
        .target(
            name: "AFCPackageFormat",
            dependencies: ["AFCText", "AFCHTTP", "AFCCaching", "AFCURL", crypto, httpTypes],
            path: "Sources/Formats/AFCPackageFormat",
            swiftSettings: settings
        ),
        .target(
            name: "AFCCaching",
            dependencies: ["AFCHTTP", httpTypes, structuredFields],
            path: "Sources/Formats/AFCCaching",
            swiftSettings: settings
        ),
        .target(
            name: "AFCPlatform",
            dependencies: ["CPlatform"],
            path: "Sources/Ground/AFCPlatform",
            swiftSettings: settings
        ),
        .target(name: "AFCText", path: "Sources/Ground/AFCText", swiftSettings: settings),
        .target(name: "AFCMemory", path: "Sources/Ground/AFCMemory", swiftSettings: settings),
        .target(
            name: "AFCFiles",
            dependencies: ["AFCPlatform", "AFCText"],
            path: "Sources/Ground/AFCFiles",
            swiftSettings: settings
        ),
        .target(
            name: "AFCHTTP",
            dependencies: [httpTypes],
            path: "Sources/Ground/AFCHTTP",
            swiftSettings: settings
        ),
        .target(
            name: "AFCURL",
            dependencies: ["CLibidn2", "CLibpsl"],
            path: "Sources/Ground/AFCURL",
            swiftSettings: settings
        ),

        // C libraries.
        .systemLibrary(
            name: "CLibidn2",
            path: "Sources/C/CLibidn2",
            pkgConfig: "libidn2",
            providers: [.apt(["libidn2-dev"]), .brew(["libidn2"])]
        ),
        .systemLibrary(
            name: "CLibdeflate",
            path: "Sources/C/CLibdeflate",
            pkgConfig: "libdeflate",
            providers: [.apt(["libdeflate-dev"]), .brew(["libdeflate"])]
        ),
        .systemLibrary(
            name: "CBrotli",
            path: "Sources/C/CBrotli",
            pkgConfig: "libbrotlidec",
            providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]
        ),
        .systemLibrary(
            name: "CLibpsl",
            path: "Sources/C/CLibpsl",
            pkgConfig: "libpsl",
            providers: [.apt(["libpsl-dev"]), .brew(["libpsl"])]
        ),
        .systemLibrary(
            name: "CLibzip",
            path: "Sources/C/CLibzip",
            pkgConfig: "libzip",
            providers: [.apt(["libzip-dev"]), .brew(["libzip"])]
        ),
        .systemLibrary(name: "CPlatform", path: "Sources/C/CPlatform"),
        .systemLibrary(
            name: "CDatabase",
            path: "Sources/C/CDatabase",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        .systemLibrary(
            name: "CZlib",
            path: "Sources/C/CZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
        ),
        .systemLibrary(
            name: "CZstd",
            path: "Sources/C/CZstd",
            pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]
        ),

        // Tests, in the same order from the bottom up.
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(
            name: "URLStandardTests",
            dependencies: ["AFCURL"],
            exclude: ["Fixtures"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HTTPCachingTests",
            dependencies: ["AFCHTTP", "AFCCaching", "TestSupport", httpTypes],
            exclude: ["Fixtures"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PackageFormatTests",
            dependencies: ["AFCText", "AFCHTTP", "AFCCaching", "AFCPackageFormat", "TestSupport", "AFCURL", httpTypes],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PackageFileTests",
            dependencies: [
                "AFCText", "AFCHTTP", "AFCCaching", "AFCPackageFile", "AFCPackageFormat", "TestSupport", "AFCURL",
                "AFCZip", crypto,
                httpTypes,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DeltaTests",
            dependencies: [
                "AFCText", "AFCHTTP", "AFCFiles", "AFCCaching", "AFCCache", "AFCDelta", "AFCPackageFile",
                "AFCPackageFormat", "TestSupport", "AFCURL", "AFCZip", crypto, httpTypes,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ZipArchiveTests",
            dependencies: [
                "AFCText", "AFCHTTP", "AFCFiles",
                "AFCCaching", "AFCLinter", "AFCPackageFile", "AFCPackageFormat", "TestSupport", "AFCZip",
                crypto,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "OriginClientTests",
            dependencies: [
                "AFCHTTP", "AFCAuthority", "AFCOrigin", "TestSupport", "AFCURL", httpTypes, nioCore, nioHPACK,
                nioHTTP2, nioPosix, nioSSL,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "OfflineCacheTests",
            dependencies: [
                "AFCText", "AFCHTTP", "AFCFiles",
                "AFCCaching", "AFCCache", "AFCPackageFile", "AFCPackageFormat", "TestSupport", "AFCURL", "AFCZip",
                crypto, httpTypes,
                "receivingwriter",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SearchTests",
            dependencies: [
                "AFCText", "AFCHTTP", "AFCCache", "AFCDiscovery", "AFCFiles", "AFCPackageFile", "AFCPackageFormat",
                "AFCSearch", "TestSupport", "AFCURL",
                grdb, httpTypes,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "OfflineServerTests",
            dependencies: [
                "AFCText", "AFCHTTP", "AFCCaching", "AFCCache", "AFCDiscovery", "AFCFiles", "AFCMemory", "AFCSearch",
                "AFCServer",
                "AFCPackageFile", "AFCPackageFormat", "AFCPlatform",
                "TestSupport",
                "AFCURL",
                httpTypes, logging, nioCore, nioEmbedded, nioHPACK, nioHTTP1, nioHTTP2, nioPosix, nioSSL,
                serviceLifecycle,
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "receivingwriter",
            dependencies: ["AFCHTTP", "AFCCaching", "AFCCache", "AFCURL", httpTypes],
            path: "Tests/ReceivingWriter",
            swiftSettings: settings
        ),
        .target(
            name: "TestOrigin",
            dependencies: [
                "AFCHTTP", "AFCAuthority", "AFCCaching",
                nioCore, nioHPACK, nioHTTP1, nioHTTP2, nioPosix, nioSSL, nioTLS,
            ],
            path: "Tests/TestOrigin",
            swiftSettings: settings
        ),
        .target(name: "TestSites", path: "Tests/TestSites", swiftSettings: settings),
        .testTarget(
            name: "CertificateAuthorityTests",
            dependencies: ["AFCText", "AFCHTTP", "AFCAuthority", "AFCCaching", "TestSupport", nioSSL],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ResolverTests",
            dependencies: [
                "AFCText", "AFCHTTP", "AFCCaching", "AFCCache", "AFCOrigin", "AFCPackageFile", "AFCPackageFormat",
                "AFCResolver",
                "TestSupport",
                "AFCURL", httpTypes, nioCore, nioPosix,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AppTests",
            dependencies: [
                "AFCCacheKit", "AFCChannel", "AFCDelta", "AFCFiles", "AFCHTTP", "AFCCaching", "AFCCache", "AFCMemory",
                "AFCPackageFile", "AFCPackageFormat", "AFCResolver", "AFCText", "TestOrigin", "TestSupport", "AFCURL",
                httpTypes, nioCore, nioPosix,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ProvisioningTests",
            dependencies: [
                "AFCPackageFormat", "AFCText", "AFCYAML", "AFCSyncFile", "AFCChannel", "AFCHTTP", "AFCDelivery",
                "AFCCache", "AFCCaching", "AFCPackageFile", "AFCProvisioning", "AFCURL", "TestOrigin", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DeliveryTests",
            dependencies: [
                "AFCText", "AFCHTTP", "AFCDelivery", "AFCCredentials", "AFCCaching", "AFCCache", "AFCPackageFile",
                "AFCOrigin", "AFCPackageFormat",
                "AFCZip", "TestOrigin", "TestSupport", "AFCURL",
                crypto, httpTypes, nioCore, nioPosix, nioSSL,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PackagerTests",
            dependencies: [
                "AFCText", "AFCHTTP", "AFCFiles",
                "AFCBrowser", "AFCCaching", "AFCCoding", "AFCCrawler", "AFCCrawlRules", "AFCCredentials", "AFCOrigin",
                "AFCPackageFile", "AFCPackageFormat", "AFCPackager", "TestOrigin",
                "TestSites", "TestSupport", "AFCURL", "AFCZip",
                grdb, httpTypes, nioCore,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TrialTests",
            dependencies: ["AFCText", "AFCTrial", "TestSupport", "AFCURL"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DiscoveryTests",
            dependencies: ["AFCDiscovery", "TestSites", "TestSupport", "AFCURL"],
            exclude: ["Fixtures"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "LinterTests",
            dependencies: [
                "AFCText", "AFCHTTP", "AFCYAML", "AFCCaching", "AFCLinter", "AFCCache", "AFCPackageFile",
                "AFCPackageFormat", "TestSupport",
                "AFCURL", "AFCZip", crypto, httpTypes,
            ],
            exclude: ["Programs"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ProgramTests",
            dependencies: [
                "AFCText", "AFCHTTP", "AFCYAML", "AFCCaching", "AFCCrawlRules", "AFCLinter", "AFCPackageFormat",
                "AFCPackager",
                "AFCURL",
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
            dependencies: ["AFCText", "TestOrigin", "TestSupport", "afcache"],
            exclude: ["Help"],
            swiftSettings: settings
        ),
    ]
)
