// swift-tools-version: 6.2
import PackageDescription

// GTK belongs to the main thread, which is the main actor: see MainLoop.swift.
let onMain: [SwiftSetting] = [.defaultIsolation(MainActor.self), .treatAllWarnings(as: .error)]

let package = Package(
    name: "DesktopKit",
    products: [
        .library(name: "DesktopKit", targets: ["DesktopKit"]),
        .executable(name: "OneDownload", targets: ["OneDownload"]),
        .executable(name: "DesktopSample", targets: ["DesktopSample"]),
    ],
    dependencies: [.package(name: "longhaul", path: "../..")],
    targets: [
        .systemLibrary(name: "CAdwaita", pkgConfig: "libadwaita-1", providers: [.apt(["libadwaita-1-dev"])]),
        .target(name: "CDesktop", dependencies: ["CAdwaita"]),
        .target(
            name: "DesktopKit",
            dependencies: ["CAdwaita", "CDesktop", .product(name: "Longhaul", package: "longhaul")],
            swiftSettings: onMain),
        // The smallest app, which README.md contains too.
        .executableTarget(name: "OneDownload", dependencies: ["DesktopKit"], swiftSettings: onMain),
        // The app of DesktopKit's tests.
        .executableTarget(name: "DesktopSample", dependencies: ["DesktopKit"], swiftSettings: onMain),
    ],
    swiftLanguageModes: [.v6]
)
