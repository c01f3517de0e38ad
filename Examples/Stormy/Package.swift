// swift-tools-version: 6.2
import PackageDescription

let longhaul = Target.Dependency.product(name: "Longhaul", package: "longhaul")

// Stormy has no window and does not need GTK. StormyWindow is the same app with a window.
let package = Package(
    name: "Stormy",
    products: [
        .executable(name: "Stormy", targets: ["Stormy"]),
        .executable(name: "StormyWindow", targets: ["StormyWindow"]),
    ],
    dependencies: [.package(name: "longhaul", path: "../.."), .package(path: "../DesktopKit")],
    targets: [
        .target(name: "StormWatch", dependencies: [longhaul]),
        .executableTarget(name: "Stormy", dependencies: ["StormWatch", longhaul]),
        .executableTarget(
            name: "StormyWindow", dependencies: ["StormWatch", .product(name: "DesktopKit", package: "DesktopKit")],
            swiftSettings: [.defaultIsolation(MainActor.self), .treatAllWarnings(as: .error)]),
    ],
    swiftLanguageModes: [.v6]
)
