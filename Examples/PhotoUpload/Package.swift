// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "PhotoUpload",
    dependencies: [.package(name: "longhaul", path: "../..")],
    targets: [
        .executableTarget(name: "PhotoUpload", dependencies: [.product(name: "Longhaul", package: "longhaul")])
    ],
    swiftLanguageModes: [.v6]
)
