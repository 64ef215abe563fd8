// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "garden",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../afcache")],
    targets: [
        .executableTarget(
            name: "garden",
            dependencies: [.product(name: "AFCache", package: "afcache")],
            resources: [.copy("garden.zip")]
        )
    ]
)
