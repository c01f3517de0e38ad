// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "longhaul-benchmarks",
    dependencies: [.package(name: "longhaul", path: "..")],
    targets: [
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .executableTarget(name: "discard-sink", dependencies: ["COpenSSL"]),
        .systemLibrary(name: "CBareCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CBareSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .executableTarget(name: "bare-downloader", dependencies: ["CBareCurl", "CBareSQLite"]),
        .executableTarget(name: "bare-uploader"),
        .executableTarget(name: "far-line", linkerSettings: [.linkedLibrary("m")]),
        .executableTarget(name: "urlsession-peer"),
        .executableTarget(name: "bench"),
    ],
    swiftLanguageModes: [.v6]
)
