// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "afcache",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "URLStandard", targets: ["URLStandard"])
    ],
    targets: [
        .systemLibrary(name: "CLibidn2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"]), .brew(["libidn2"])]),
        .target(name: "URLStandard", dependencies: ["CLibidn2"], swiftSettings: settings),
        .testTarget(
            name: "URLStandardTests",
            dependencies: ["URLStandard"],
            exclude: ["Fixtures"],
            swiftSettings: settings
        ),
    ]
)
