// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Stormy",
    dependencies: [.package(name: "longhaul", path: "../..")],
    targets: [
        .target(name: "StormWatch", dependencies: [.product(name: "Longhaul", package: "longhaul")]),
        .executableTarget(name: "Stormy", dependencies: ["StormWatch"]),
    ],
    swiftLanguageModes: [.v6]
)
