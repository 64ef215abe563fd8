// swift-tools-version: 6.2
// A package outside the project's own: it uses the library's products as a stranger does. 'scripts/test-examples' builds it
// together with the examples, and runs its tests.
import PackageDescription

let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "outside",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "afcache", path: "../..", traits: [.defaults, "AsyncHTTPClient", "Hummingbird"]),
        .package(path: "../../Examples/Kiosk"),
        .package(path: "../../Examples/Reader"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        // The code of the documentation; scripts/check_snippets.py compares.
        .target(
            name: "Snippets",
            dependencies: [
                .product(name: "AFCAsyncHTTPClient", package: "afcache"),
                .product(name: "AFCache", package: "afcache"),
                .product(name: "AFCHummingbird", package: "afcache"),
                .product(name: "AFCTime", package: "afcache"),
            ],
            swiftSettings: settings
        ),
        // A small package, for the tests and the examples.
        .target(
            name: "TestSite",
            dependencies: [.product(name: "AFCCache", package: "afcache")],
            swiftSettings: settings
        ),
        .executableTarget(name: "makesite", dependencies: ["TestSite"], swiftSettings: settings),
        .testTarget(
            name: "AsyncHTTPClientTests",
            dependencies: [
                "TestSite",
                .product(name: "AFCAsyncHTTPClient", package: "afcache"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HummingbirdTests",
            dependencies: [
                "Snippets", "TestSite", "makesite",
                .product(name: "AFCHummingbird", package: "afcache"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "kiosk", package: "Kiosk"),
                .product(name: "reader", package: "Reader"),
            ],
            swiftSettings: settings
        ),
    ]
)
