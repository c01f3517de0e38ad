// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "PhotoDrop",
    dependencies: [.package(path: "../DesktopKit")],
    targets: [
        .executableTarget(
            name: "PhotoDrop", dependencies: ["DesktopKit"],
            swiftSettings: [.defaultIsolation(MainActor.self), .treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
