// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// The scripts build without optimization, since compiling takes longer than running, except for the modules that read and
// write bytes, in which the tests spend their time. The driver's own '-Onone' comes from the command line, after a target's
// flags; assertions stay.
let optimized: [SwiftSetting] =
    Context.environment["AFCACHE_TEST_BUILD"] != "1"
    ? [] : [.unsafeFlags(["-Xfrontend", "-O", "-assert-config", "Debug"])]

// Products of other packages, by the name that this manifest uses for them.
let asyncHTTPClient = Target.Dependency.product(
    name: "AsyncHTTPClient",
    package: "async-http-client",
    condition: .when(traits: ["AsyncHTTPClient"])
)
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser",
    package: "swift-argument-parser",
    condition: .when(traits: ["Program"])
)
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let hummingbird = Target.Dependency.product(
    name: "Hummingbird",
    package: "hummingbird",
    condition: .when(traits: ["Hummingbird"])
)
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(
    name: "Logging",
    package: "swift-log",
    condition: .when(traits: ["Program", "Hummingbird"])
)
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHPACK = Target.Dependency.product(name: "NIOHPACK", package: "swift-nio-http2")
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let serviceLifecycle = Target.Dependency.product(
    name: "ServiceLifecycle",
    package: "swift-service-lifecycle",
    condition: .when(traits: ["Program"])
)
let structuredFields = Target.Dependency.product(
    name: "RawStructuredFieldValues",
    package: "swift-http-structured-headers"
)
let swiftASN1 = Target.Dependency.product(
    name: "SwiftASN1",
    package: "swift-asn1",
    condition: .when(traits: ["Program"])
)
let x509 = Target.Dependency.product(
    name: "X509",
    package: "swift-certificates",
    condition: .when(traits: ["Program"])
)
let unixSignals = Target.Dependency.product(
    name: "UnixSignals",
    package: "swift-service-lifecycle",
    condition: .when(traits: ["Program"])
)

// C libraries that a product can do without; docs/developers/decisions/0035-small-core.md.
let libbrotli = Target.Dependency.target(name: "CBrotli", condition: .when(traits: ["Brotli"]))
let libdeflate = Target.Dependency.target(name: "CLibdeflate", condition: .when(traits: ["Libdeflate"]))
let libidn2 = Target.Dependency.target(name: "CLibidn2", condition: .when(traits: ["InternationalDomains"]))
let libpsl = Target.Dependency.target(name: "CLibpsl", condition: .when(traits: ["PublicSuffixes"]))
let libzip = Target.Dependency.target(name: "CLibzip", condition: .when(traits: ["Encryption"]))
let libzstd = Target.Dependency.target(name: "CZstd", condition: .when(traits: ["Zstandard"]))

// What the public API of an engine shows of the floors below comes with its product.
let packageModules = ["AFCPackageFile", "AFCPackageFormat", "AFCZip", "AFCText", "AFCHTTP", "AFCURL", "AFCFiles"]

/// A module by its place below `Sources`: floor and name.
func module(_ place: String, _ dependencies: [Target.Dependency] = []) -> Target {
    let name = place.split(separator: "/").last.map(String.init) ?? place
    let isOfBytes =
        place.hasPrefix("Rules/") || place.hasPrefix("Means/")
        || ["AFCCache", "AFCDelta", "AFCLinter"].contains(name)
    return .target(
        name: name,
        dependencies: dependencies,
        path: "Sources/\(place)",
        swiftSettings: settings + (isOfBytes ? optimized : [])
    )
}

/// A module of tests.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

let package = Package(
    name: "afcache",
    platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .visionOS(.v2), .watchOS(.v11)],
    products: [
        .executable(name: "afcache", targets: ["AFCProgram"]),
        .library(
            name: "AFCache",
            targets: ["AFCache", "AFCResolver", "AFCOrigin", "AFCCache"] + packageModules + ["AFCCaching"]
        ),
        .library(name: "AFCCache", targets: ["AFCCache"] + packageModules + ["AFCCaching"]),
        .library(
            name: "AFCResolver",
            targets: ["AFCResolver", "AFCOrigin", "AFCCache"] + packageModules + ["AFCCaching"]
        ),
        .library(
            name: "AFCServer",
            targets: ["AFCServer", "AFCResolver", "AFCOrigin", "AFCCache"] + packageModules + ["AFCCaching"]
        ),
        .library(
            name: "AFCPackager",
            targets: ["AFCPackager", "AFCCrawler", "AFCCrawlRules", "AFCCredentials", "AFCOrigin", "AFCBrowser"]
                + packageModules
        ),
        .library(name: "AFCPackaging", targets: ["AFCPackaging", "AFCLinter"] + packageModules),
        .library(name: "AFCTime", targets: ["AFCTime", "AFCHTTP"]),
        .library(name: "AFCLinter", targets: ["AFCLinter", "AFCYAML"] + packageModules),
        // Empty without the trait of the same purpose; docs/developers/decisions/0023-traits.md.
        .library(
            name: "AFCAsyncHTTPClient",
            targets: ["AFCAsyncHTTPClient", "AFCResolver", "AFCOrigin", "AFCCache"] + packageModules + ["AFCCaching"]
        ),
        .library(name: "AFCHummingbird", targets: ["AFCHummingbird", "AFCCache"] + packageModules + ["AFCCaching"]),
    ],
    traits: [
        .trait(name: "AsyncHTTPClient", description: "AFCAsyncHTTPClient: the cache for users of AsyncHTTPClient."),
        .trait(name: "Hummingbird", description: "AFCHummingbird: packages and caches served by Hummingbird."),
        .trait(name: "Program", description: "The program, AFCServer and certificates: their packages."),
        .trait(name: "Brotli", description: "Decodes bodies in Brotli, with libbrotli."),
        .trait(name: "Encryption", description: "Reads and writes encrypted packages, with libzip."),
        .trait(name: "InternationalDomains", description: "URLs with hosts beyond ASCII, with libidn2."),
        .trait(name: "Libdeflate", description: "Deflates and inflates in half the time, with libdeflate."),
        .trait(name: "PublicSuffixes", description: "Registrable domains, with libpsl."),
        .trait(name: "Zstandard", description: "Patches, and bodies in Zstandard, with libzstd."),
        .default(
            enabledTraits: [
                "Program", "Brotli", "Encryption", "InternationalDomains", "Libdeflate", "PublicSuffixes", "Zstandard",
            ]
        ),
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
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // The program, and what it is made of, floor by floor from the top down; docs/developers/architecture.md.
        .executableTarget(
            name: "AFCProgram",
            dependencies: [
                "AFCPlatform", "AFCProcess", "AFCText", "AFCHTTP", "AFCFiles",
                "AFCAuthority", "AFCBrowser", "AFCDelivery", "AFCDelta", "AFCDiscovery", "AFCExport", "AFCProvisioning",
                "AFCCaching",
                "AFCLinter", "AFCCache", "AFCOrigin", "AFCSearch", "AFCServer",
                "AFCCrawler", "AFCCrawlRules", "AFCCredentials", "AFCPackageFile", "AFCPackageFormat", "AFCPackager",
                "AFCArchive", "AFCImport", "AFCRecorder",
                "AFCBatch", "AFCModelContext", "AFCSyncFile", "AFCYAML", "AFCChannel", "AFCResolver", "AFCTrial",
                "AFCURL", "AFCZip",
                argumentParser, crypto, httpTypes, unixSignals,
            ],
            path: "Sources/Program/AFCProgram",
            swiftSettings: settings
        ),

        module(
            "App/AFCAsyncHTTPClient",
            [
                "AFCCache", "AFCCaching", "AFCFiles", "AFCHTTP", "AFCPlatform", "AFCResolver", "AFCText", "AFCURL",
                asyncHTTPClient, httpTypes, nioCore, nioHTTP1,
            ]
        ),
        module(
            "App/AFCache",
            [
                "AFCCache", "AFCCaching", "AFCChannel", "AFCCoding", "AFCDelivery", "AFCDelta", "AFCFiles", "AFCHTTP",
                "AFCMemory", "AFCOrigin", "AFCPackageFile", "AFCPackageFormat", "AFCPlatform", "AFCProvisioning",
                "AFCResolver",
                "AFCSearch", "AFCText", "AFCURL", "AFCZip", crypto, httpTypes, nioCore,
            ]
        ),
        module(
            "App/AFCHummingbird",
            [
                "AFCCache", "AFCCaching", "AFCFiles", "AFCHTTP", "AFCPlatform", "AFCServer", "AFCURL", httpTypes,
                hummingbird, logging, nioCore,
            ]
        ),

        module(
            "App/AFCPackaging",
            [
                "AFCCache", "AFCCrawlRules", "AFCDiscovery", "AFCExport", "AFCFiles", "AFCHTTP", "AFCLinter",
                "AFCPackageFile", "AFCPackageFormat", "AFCPackager", "AFCText", "AFCTime", "AFCURL", "AFCZip",
            ]
        ),
        module("App/AFCTime", ["AFCHTTP"]),

        module("Engines/AFCAuthority", ["AFCFiles", "AFCHTTP", "AFCPlatform", "AFCText", crypto, swiftASN1, x509]),
        module(
            "Engines/AFCBrowser",
            ["AFCFiles", "AFCPlatform", "AFCProcess", "AFCText", "AFCURL", nioCore, nioPosix]
        ),
        module(
            "Engines/AFCCache",
            [
                "AFCCaching", "AFCFiles", "AFCHTTP", "AFCPackageFile", "AFCPackageFormat",
                "AFCPlatform", "AFCSQLite", "AFCText", "AFCURL", "AFCZip", crypto, httpTypes,
            ]
        ),
        module(
            "Engines/AFCCrawler",
            [
                "AFCBrowser", "AFCCaching", "AFCCoding", "AFCCrawlRules", "AFCCredentials", "AFCDiscovery", "AFCFiles",
                "AFCHTTP", "AFCOrigin", "AFCPackageFile", "AFCPackageFormat", "AFCPlatform", "AFCSQLite", "AFCText",
                "AFCURL", "AFCZip", crypto, httpTypes, nioCore,
            ]
        ),
        module(
            "Engines/AFCDelivery",
            [
                "AFCCaching", "AFCCredentials", "AFCFiles", "AFCHTTP", "AFCOrigin", "AFCPackageFile",
                "AFCPackageFormat", "AFCPlatform", "AFCText", "AFCURL", "AFCZip", crypto, httpTypes, nioCore,
            ]
        ),
        module(
            "Engines/AFCDelta",
            [
                "AFCFiles", "AFCHTTP", "AFCPackageFile", "AFCPackageFormat", "AFCText", "AFCURL", "AFCZip",
                crypto, httpTypes, libzstd,
            ]
        ),
        module(
            "Engines/AFCExport",
            [
                "AFCCache", "AFCCaching", "AFCCoding", "AFCDiscovery", "AFCFiles", "AFCHTTP", "AFCPackageFile",
                "AFCPackageFormat", "AFCPlatform", "AFCSearch", "AFCText", "AFCURL", "AFCZip", crypto, httpTypes,
            ]
        ),
        module(
            "Engines/AFCImport",
            [
                "AFCArchive", "AFCCoding", "AFCCrawlRules", "AFCCrawler", "AFCDiscovery", "AFCFiles", "AFCHTTP",
                "AFCPackageFile", "AFCPackageFormat", "AFCPackager", "AFCSQLite", "AFCText", "AFCURL", "AFCZip", crypto,
                httpTypes,
            ]
        ),
        module(
            "Engines/AFCLinter",
            [
                "AFCCaching", "AFCDiscovery", "AFCFiles", "AFCHTTP", "AFCPackageFile", "AFCPackageFormat",
                "AFCPlatform", "AFCText", "AFCURL", "AFCYAML", "AFCZip", crypto, httpTypes,
            ]
        ),
        module(
            "Engines/AFCModelContext",
            [
                "AFCBlocking", "AFCCache", "AFCCaching", "AFCDiscovery", "AFCFiles", "AFCHTTP", "AFCMemory",
                "AFCPackageFormat",
                "AFCPlatform", "AFCSearch", "AFCServer", "AFCText", "AFCURL", httpTypes, nioCore,
            ]
        ),
        module(
            "Engines/AFCPackager",
            [
                "AFCCaching", "AFCCrawlRules", "AFCCrawler", "AFCFiles", "AFCHTTP", "AFCOrigin", "AFCPackageFile",
                "AFCPackageFormat", "AFCPlatform", "AFCText", "AFCURL", "AFCZip", crypto, httpTypes,
            ]
        ),
        module(
            "Engines/AFCProvisioning",
            [
                "AFCCache", "AFCCaching", "AFCChannel", "AFCDelivery", "AFCDelta", "AFCFiles",
                "AFCHTTP", "AFCPackageFile", "AFCPackageFormat", "AFCPlatform", "AFCText", "AFCURL",
                "AFCZip",
            ]
        ),
        module(
            "Engines/AFCRecorder",
            [
                "AFCCache", "AFCCaching", "AFCCrawlRules", "AFCCrawler", "AFCFiles", "AFCHTTP", "AFCOrigin",
                "AFCPackageFile", "AFCPackageFormat", "AFCPackager", "AFCPlatform", "AFCResolver", "AFCServer",
                "AFCText", "AFCURL", httpTypes, nioCore,
            ]
        ),
        module(
            "Engines/AFCResolver",
            [
                "AFCBlocking", "AFCCache", "AFCCaching", "AFCHTTP", "AFCMemory", "AFCOrigin", "AFCPlatform", "AFCText",
                "AFCURL", httpTypes, nioCore, nioPosix, nioSSL,
            ]
        ),
        module(
            "Engines/AFCSearch",
            [
                "AFCCache", "AFCCaching", "AFCDiscovery", "AFCFiles", "AFCHTTP", "AFCPlatform", "AFCSQLite", "AFCText",
                "AFCURL", "CDatabase", httpTypes,
            ]
        ),
        module(
            "Engines/AFCServer",
            [
                "AFCBlocking", "AFCCache", "AFCCaching", "AFCDiscovery", "AFCFiles", "AFCHTTP", "AFCMemory",
                "AFCOrigin", "AFCPackageFormat", "AFCPlatform", "AFCResolver", "AFCSearch", "AFCText", "AFCURL",
                crypto, httpTypes, logging, nioCore, nioHPACK, nioHTTP1, nioHTTP2, nioPosix, nioSSL, nioTLS,
                serviceLifecycle,
                unixSignals,
            ]
        ),
        module(
            "Engines/AFCTrial",
            [
                "AFCBrowser", "AFCCache", "AFCCaching", "AFCDiscovery", "AFCFiles", "AFCHTTP", "AFCPackageFile",
                "AFCPackageFormat", "AFCServer", "AFCText", "AFCURL", "AFCZip", httpTypes, nioCore,
            ]
        ),

        module("Means/AFCBlocking", [nioCore, nioPosix]),
        module("Means/AFCCoding", ["AFCHTTP", "AFCZip", httpTypes, libbrotli, libzstd]),
        module("Means/AFCFiles", ["AFCPlatform", "AFCText"]),
        module(
            "Means/AFCOrigin",
            [
                "AFCBlocking", "AFCCredentials", "AFCHTTP", "AFCPlatform", "AFCText", "AFCURL", httpTypes, nioCore,
                nioHPACK, nioHTTP2, nioPosix, nioSSL, nioTLS,
            ]
        ),
        module(
            "Means/AFCPackageFile",
            [
                "AFCFiles", "AFCHTTP", "AFCPackageFormat", "AFCText", "AFCURL", "AFCZip", crypto, httpTypes,
            ]
        ),
        module("Means/AFCPlatform", ["CPlatform"]),
        module("Means/AFCProcess", ["AFCFiles", "AFCPlatform", "AFCText"]),
        module("Means/AFCSQLite", ["CDatabase"]),
        module("Means/AFCZip", ["AFCFiles", "AFCPlatform", "AFCText", "CZlib", libdeflate, libzip]),

        module("Rules/AFCArchive", ["AFCHTTP", "AFCText", httpTypes]),
        module("Rules/AFCBatch", ["AFCPackageFormat", "AFCText", "AFCYAML", crypto]),
        module("Rules/AFCCaching", ["AFCHTTP", "AFCText", "AFCURL", httpTypes, structuredFields]),
        module("Rules/AFCChannel", ["AFCHTTP", "AFCPackageFormat", "AFCText", "AFCURL", crypto]),
        module(
            "Rules/AFCCrawlRules",
            [
                "AFCCaching", "AFCCredentials", "AFCDiscovery", "AFCHTTP", "AFCPackageFormat", "AFCText", "AFCURL",
                crypto, httpTypes,
            ]
        ),
        module("Rules/AFCCredentials", ["AFCText", "AFCURL"]),
        module("Rules/AFCDiscovery", ["AFCURL"]),
        module("Rules/AFCHTTP", [httpTypes]),
        module("Rules/AFCMemory"),
        module("Rules/AFCPackageFormat", ["AFCCaching", "AFCHTTP", "AFCText", "AFCURL", crypto, httpTypes]),
        module("Rules/AFCSyncFile", ["AFCPackageFormat", "AFCText", "AFCURL", "AFCYAML"]),
        module("Rules/AFCText"),
        module("Rules/AFCURL", [libidn2, libpsl]),
        module("Rules/AFCYAML", ["AFCText", "CYAML"]),

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
            dependencies: ["AFCache"],
            path: "Benchmarks/AppBench",
            swiftSettings: settings
        ),

        .executableTarget(
            name: "streambench",
            dependencies: ["AFCache"],
            path: "Benchmarks/StreamBench",
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
            name: "CYAML",
            path: "Sources/C/CYAML",
            pkgConfig: "yaml-0.1",
            providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]
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
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings + optimized),
        tests("AFCURLTests", ["AFCURL"], exclude: ["Fixtures"]),
        tests("AFCCachingTests", ["AFCCaching", "AFCHTTP", "TestSupport", httpTypes], exclude: ["Fixtures"]),
        tests(
            "AFCPackageFormatTests",
            [
                "AFCCaching", "AFCHTTP", "AFCPackageFormat", "AFCText", "AFCURL", "TestSupport", httpTypes,
            ]
        ),
        tests(
            "AFCPackageFileTests",
            [
                "AFCCaching", "AFCHTTP", "AFCPackageFile", "AFCPackageFormat", "AFCText", "AFCURL", "AFCZip",
                "TestSupport", crypto, httpTypes,
            ]
        ),
        tests(
            "AFCDeltaTests",
            [
                "AFCCache", "AFCCaching", "AFCDelta", "AFCFiles", "AFCHTTP", "AFCPackageFile", "AFCPackageFormat",
                "AFCText", "AFCURL", "AFCZip", "TestSupport", crypto, httpTypes,
            ]
        ),
        tests(
            "AFCZipTests",
            [
                "AFCCaching", "AFCFiles", "AFCHTTP", "AFCLinter", "AFCPackageFile", "AFCPackageFormat", "AFCProcess",
                "AFCText", "AFCZip", "TestSupport", crypto,
            ]
        ),
        tests("AFCSQLiteTests", ["AFCSQLite", "CDatabase", "TestSupport"]),
        tests(
            "AFCOriginTests",
            [
                "AFCAuthority", "AFCCredentials", "AFCHTTP", "AFCOrigin", "AFCText", "AFCURL", "TestSupport", httpTypes,
                nioCore, nioHPACK, nioHTTP2, nioPosix, nioSSL,
            ]
        ),
        tests(
            "AFCCacheTests",
            [
                "AFCCache", "AFCCaching", "AFCFiles", "AFCHTTP", "AFCPackageFile", "AFCPackageFormat", "AFCText",
                "AFCURL", "AFCZip", "TestSupport", "receivingwriter", crypto, httpTypes,
            ]
        ),
        tests(
            "AFCSearchTests",
            [
                "AFCCache", "AFCDiscovery", "AFCFiles", "AFCHTTP", "AFCPackageFile", "AFCPackageFormat", "AFCSearch",
                "AFCSQLite", "AFCText", "AFCURL", "TestSupport", httpTypes,
            ]
        ),
        tests(
            "AFCServerTests",
            [
                "AFCCache", "AFCCaching", "AFCDiscovery", "AFCFiles", "AFCHTTP", "AFCMemory", "AFCPackageFile",
                "AFCPackageFormat", "AFCPlatform", "AFCSearch", "AFCServer", "AFCText", "AFCURL", "TestSupport",
                httpTypes, logging, nioCore, nioEmbedded, nioHPACK, nioHTTP1, nioHTTP2, nioPosix, nioSSL,
                serviceLifecycle,
            ]
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
        tests(
            "AFCAuthorityTests",
            ["AFCAuthority", "AFCCaching", "AFCHTTP", "AFCText", "TestSupport", nioSSL]
        ),
        tests(
            "AFCResolverTests",
            [
                "AFCCache", "AFCCaching", "AFCHTTP", "AFCOrigin", "AFCPackageFile", "AFCPackageFormat", "AFCResolver",
                "AFCText", "AFCURL", "TestOrigin", "TestSupport", httpTypes, nioCore, nioPosix,
            ]
        ),
        tests(
            "AFCacheTests",
            [
                "AFCCache", "AFCache", "AFCCaching", "AFCChannel", "AFCDelta", "AFCFiles", "AFCHTTP", "AFCMemory",
                "AFCPackageFile", "AFCPackageFormat", "AFCResolver", "AFCText", "AFCURL", "TestOrigin", "TestSupport",
                "receivingwriter", crypto, httpTypes, nioCore, nioPosix,
            ]
        ),
        tests(
            "AFCPackagingTests",
            [
                "AFCCache", "AFCHTTP", "AFCLinter", "AFCPackageFormat", "AFCPackaging", "AFCTime", "TestOrigin",
                "TestSupport",
            ]
        ),
        tests(
            "AFCProvisioningTests",
            [
                "AFCBatch", "AFCCache", "AFCCaching", "AFCChannel", "AFCDelivery", "AFCHTTP", "AFCPackageFile",
                "AFCPackageFormat",
                "AFCProvisioning", "AFCSyncFile", "AFCText", "AFCURL", "AFCYAML", "TestOrigin", "TestSupport",
            ]
        ),
        tests(
            "AFCDeliveryTests",
            [
                "AFCCache", "AFCCaching", "AFCCredentials", "AFCDelivery", "AFCHTTP", "AFCOrigin", "AFCPackageFile",
                "AFCPackageFormat", "AFCText", "AFCURL", "AFCZip", "TestOrigin", "TestSupport", crypto, httpTypes,
                nioCore, nioPosix, nioSSL,
            ]
        ),
        tests(
            "AFCPackagerTests",
            [
                "AFCBrowser", "AFCCaching", "AFCCoding", "AFCCrawlRules", "AFCCrawler", "AFCCredentials", "AFCFiles",
                "AFCHTTP", "AFCOrigin", "AFCPackageFile", "AFCPackageFormat", "AFCPackager", "AFCText", "AFCURL",
                "AFCSQLite", "AFCZip", "CDatabase", "TestOrigin", "TestSites", "TestSupport", httpTypes, nioCore,
            ]
        ),
        tests("AFCImportTests", ["AFCArchive", "AFCHTTP", httpTypes]),
        tests(
            "AFCExportTests",
            ["AFCDiscovery", "AFCExport", "AFCFiles", "AFCHTTP", "AFCText", "AFCURL", "AFCZip", "TestSupport"]
        ),
        tests(
            "AFCModelContextTests",
            [
                "AFCBlocking", "AFCCache", "AFCCaching", "AFCFiles", "AFCHTTP", "AFCModelContext", "AFCPackageFile",
                "AFCPackageFormat", "AFCSearch", "AFCServer", "AFCText", "AFCURL", "TestSupport", httpTypes, nioCore,
            ]
        ),
        tests("AFCTrialTests", ["AFCText", "AFCTrial", "AFCURL", "TestSupport"]),
        tests("AFCDiscoveryTests", ["AFCDiscovery", "AFCURL", "TestSites", "TestSupport"], exclude: ["Fixtures"]),
        tests(
            "AFCLinterTests",
            [
                "AFCCache", "AFCCaching", "AFCHTTP", "AFCLinter", "AFCPackageFile", "AFCPackageFormat", "AFCText",
                "AFCURL", "AFCYAML", "AFCZip", "TestSupport", crypto, httpTypes,
            ],
            exclude: ["Programs"]
        ),
        tests(
            "AFCProgramTests",
            [
                "AFCCaching", "AFCCrawlRules", "AFCHTTP", "AFCLinter", "AFCPackageFormat", "AFCPackager", "AFCText",
                "AFCURL", "AFCProgram", "AFCYAML", argumentParser, httpTypes,
            ]
        ),
        tests("ClientTests", ["TestOrigin", "TestSites", "TestSupport", "AFCProgram"], exclude: ["Programs"]),
        tests("EndToEndTests", ["AFCText", "TestOrigin", "TestSupport", "AFCProgram"], exclude: ["Help"]),
    ]
)
