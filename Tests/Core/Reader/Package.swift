// swift-tools-version: 6.2
// The smallest reader: a disk cache without any trait and without a network. 'scripts/test-core' builds and runs it.
import PackageDescription

let package = Package(
    name: "reader",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "afcache", path: "../../..", traits: [])],
    targets: [
        .executableTarget(
            name: "reader",
            dependencies: [
                .product(name: "AFCCache", package: "afcache"), .product(name: "AFCTime", package: "afcache"),
            ]
        )
    ]
)
