// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Screencasts",
    dependencies: [
        .package(name: "longhaul", path: "../.."),
        .package(path: "../DesktopKit"),
    ],
    targets: [
        .executableTarget(
            name: "Screencasts",
            dependencies: [
                .product(name: "Longhaul", package: "longhaul"), .product(name: "DesktopKit", package: "DesktopKit"),
            ],
            resources: [
                .embedInCode("Interface/window.ui"), .embedInCode("Interface/row.ui"),
                .embedInCode("Interface/style.css"),
            ],
            swiftSettings: [.defaultIsolation(MainActor.self), .treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
