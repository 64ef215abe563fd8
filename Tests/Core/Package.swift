// swift-tools-version: 6.2
// The smallest app: AFCache without any trait. 'scripts/test-core' builds and runs it.
import PackageDescription

let package = Package(
    name: "core",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "afcache", path: "../..", traits: [])],
    targets: [
        .executableTarget(name: "core", dependencies: [.product(name: "AFCache", package: "afcache")])
    ]
)
