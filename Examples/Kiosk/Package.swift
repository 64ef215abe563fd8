// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Kiosk",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "kiosk", targets: ["kiosk"])],
    dependencies: [
        .package(name: "afcache", path: "../..", traits: [.defaults, "Hummingbird"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "kiosk",
            dependencies: [
                .product(name: "AFCHummingbird", package: "afcache"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ]
        )
    ]
)
