// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "BackgroundDownload",
    dependencies: [.package(name: "longhaul", path: "../..")],
    targets: [
        .executableTarget(name: "BackgroundDownload", dependencies: [.product(name: "Longhaul", package: "longhaul")])
    ],
    swiftLanguageModes: [.v6]
)
