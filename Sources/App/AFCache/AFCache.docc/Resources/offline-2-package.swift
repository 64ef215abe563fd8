// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "offline",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../afcache")],
    targets: [
        .executableTarget(
            name: "offline",
            dependencies: [.product(name: "AFCache", package: "afcache")]
        )
    ]
)
