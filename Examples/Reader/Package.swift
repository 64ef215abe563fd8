// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Reader",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "reader", targets: ["reader"])],
    dependencies: [.package(name: "afcache", path: "../..")],
    targets: [
        .executableTarget(name: "reader", dependencies: [.product(name: "AFCCache", package: "afcache")])
    ]
)
