// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]
let strictC: [CSetting] = [.treatAllWarnings(as: .error)]

// An Apple system has the real frameworks, and must never see their doubles or Linux's modules. `scripts/check` evaluates the other
// branches with this condition inverted, so it must be the only one.
#if os(Linux)
    let onLinux = true
#else
    let onLinux = false
#endif

/// Returns the dependencies that only Linux has.
func linux(_ names: String...) -> [Target.Dependency] { onLinux ? names.map { .byName(name: $0) } : [] }

/// The directories of a target that other systems exclude.
let onlyLinux = onLinux ? [] : ["Linux"]

/// The reasons for calls that Apple makes apps justify.
let privacy = "PrivacyInfo.xcprivacy"

/// The apps in Examples/iOS, and whether they have entries for Info.plist.
let phoneApps: [(name: String, hasInfo: Bool)] = [
    ("PhotoUpload", false), ("Receipts", false), ("StormWatcher", true), ("Visits", false), ("Episodes", false),
]

let package = Package(
    name: "longhaul",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Longhaul", targets: ["Longhaul"]),
        .library(name: "LonghaulFoundation", targets: ["LonghaulFoundation"]),
        // For the tests of apps.
        .library(name: "LonghaulTesting", targets: ["LonghaulTesting"]),
    ],
    targets: [
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: onLinux ? "sqlite3" : nil, providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .target(name: "CPlatform", cSettings: strictC),
        .target(name: "CDigest", dependencies: linux("CCrypto"), cSettings: strictC),

        .target(name: "LonghaulCore", swiftSettings: strict),
        .target(
            name: "LonghaulSystem", dependencies: ["LonghaulCore", "CPlatform"],
            exclude: onLinux ? [privacy] : [], resources: onLinux ? [] : [.process(privacy)], swiftSettings: strict),
        .target(
            name: "LonghaulBus", dependencies: ["LonghaulCore", "LonghaulSystem", "CSystemd"], swiftSettings: strict),
        .target(
            name: "LonghaulStore", dependencies: ["LonghaulCore", "LonghaulSystem", "CSQLite"], swiftSettings: strict),
        .target(
            name: "LonghaulFiles", dependencies: ["LonghaulCore", "LonghaulSystem", "CDigest"], swiftSettings: strict),
        .target(
            name: "LonghaulCurl",
            dependencies: ["LonghaulCore", "LonghaulSystem", "LonghaulFiles", "CCurl", "CCrypto"],
            swiftSettings: strict),
        .target(
            name: "LonghaulRuntime", dependencies: ["LonghaulCore", "LonghaulSystem", "LonghaulStore"],
            swiftSettings: strict),
        .target(
            name: "LonghaulConditions",
            dependencies: ["LonghaulCore", "LonghaulSystem", "LonghaulBus", "LonghaulRuntime"],
            swiftSettings: strict),
        .target(name: "LonghaulIPC", dependencies: ["LonghaulCore", "LonghaulSystem"], swiftSettings: strict),
        .target(
            name: "LonghaulClient", dependencies: ["LonghaulCore", "LonghaulSystem", "LonghaulIPC"],
            swiftSettings: strict),
        .target(
            name: "LonghaulService",
            dependencies: [
                "LonghaulCore", "LonghaulSystem", "LonghaulBus", "LonghaulRuntime", "LonghaulCurl", "LonghaulIPC",
                "LonghaulConditions",
            ],
            swiftSettings: strict),
        .target(
            name: "Longhaul",
            dependencies: ["LonghaulCore", "LonghaulSystem", "LonghaulRuntime"]
                + linux("LonghaulClient", "LonghaulCurl", "LonghaulConditions"),
            exclude: [onLinux ? "Apple" : "Linux"], swiftSettings: strict),
        // No Linux product depends on these two.
        .target(
            name: "LonghaulURLSession",
            dependencies: ["LonghaulCore", "LonghaulSystem", "LonghaulFiles"] + linux("FoundationDouble"),
            exclude: onlyLinux, swiftSettings: strict),
        .target(
            name: "LonghaulApple",
            dependencies: [
                "Longhaul", "LonghaulCore", "LonghaulSystem", "LonghaulFiles", "LonghaulRuntime", "LonghaulURLSession",
            ]
                + linux(
                    "FoundationDouble", "UIKit", "AppKit", "BackgroundTasks", "UserNotifications", "Network",
                    "SwiftUI"),
            exclude: onlyLinux, swiftSettings: strict),
        .target(
            name: "LonghaulPhotos",
            dependencies: ["LonghaulCore", "LonghaulSystem", "LonghaulURLSession"]
                + linux("FoundationDouble", "Photos"),
            exclude: onlyLinux, swiftSettings: strict),
        .target(
            name: "LonghaulFoundation", dependencies: ["Longhaul", "LonghaulCore"], exclude: onlyLinux,
            swiftSettings: strict),
        .target(
            name: "LonghaulTesting",
            dependencies: ["Longhaul", "LonghaulCore", "LonghaulSystem", "LonghaulFiles", "LonghaulRuntime"],
            swiftSettings: strict),
        .executableTarget(
            name: "longhauld", dependencies: ["LonghaulService", "LonghaulIPC", "LonghaulSystem"], swiftSettings: strict
        ),
        .target(
            name: "LonghaulCommand",
            dependencies: ["LonghaulCore", "LonghaulSystem", "LonghaulIPC", "LonghaulClient", "LonghaulMetalink"],
            swiftSettings: strict),
        .target(name: "LonghaulMetalink", dependencies: ["LonghaulCore", "CExpat"], swiftSettings: strict),
        // A Mac's file system does not distinguish its name from that of the library.
        .executableTarget(
            name: "longhaul", dependencies: ["LonghaulCommand", "LonghaulSystem"], path: "Sources/LonghaulTool",
            swiftSettings: strict),

        .executableTarget(
            name: "session-probe", dependencies: ["Longhaul", "LonghaulClient", "LonghaulCore", "LonghaulIPC"],
            path: "Benchmarks/Sources/session-probe", swiftSettings: strict),

        // Only tests use it, for HTTP/2 on the server's side.
        .systemLibrary(
            name: "CNGHTTP2", path: "Tests/CNGHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .target(
            name: "CTestSupport", dependencies: ["CCrypto"], path: "Tests/CTestSupport", cSettings: strictC),
        .target(
            name: "TestSupport", dependencies: ["LonghaulCore", "CTestSupport", "CNGHTTP2"], path: "Tests/TestSupport",
            exclude: ["FileSystems/refusing-fs.py", "Process/set-clock.c"], swiftSettings: strict),
        .testTarget(name: "TestSupportTests", dependencies: ["TestSupport", "LonghaulCore"], swiftSettings: strict),
        .target(
            name: "SocketTestSupport", dependencies: ["LonghaulCore", "LonghaulSystem", "LonghaulIPC"],
            path: "Tests/SocketTestSupport", swiftSettings: strict),
        // These see the API that an app of another package sees.
        .executableTarget(
            name: "SampleApp", dependencies: ["Longhaul"], path: "Tests/SampleApp", packageAccess: false,
            swiftSettings: strict),
        .executableTarget(
            name: "PhotoUpload", dependencies: ["Longhaul"], path: "Examples/PhotoUpload/Sources/PhotoUpload",
            packageAccess: false, swiftSettings: strict),
        .executableTarget(
            name: "BackgroundDownload", dependencies: ["Longhaul"],
            path: "Examples/BackgroundDownload/Sources/BackgroundDownload", packageAccess: false,
            swiftSettings: strict),
        .target(
            name: "StormWatch", dependencies: ["Longhaul"], path: "Examples/Stormy/Sources/StormWatch",
            packageAccess: false, swiftSettings: strict),
        .executableTarget(
            name: "Stormy", dependencies: ["StormWatch", "Longhaul"], path: "Examples/Stormy/Sources/Stormy",
            packageAccess: false, swiftSettings: strict),
        .executableTarget(
            name: "LifecycleSample", dependencies: ["Longhaul"], path: "Tests/LifecycleSample", swiftSettings: strict),
        .executableTarget(
            name: "HandoffSample", dependencies: ["Longhaul"], path: "Tests/HandoffSample", swiftSettings: strict),
        .executableTarget(
            name: "LastRequestSample", dependencies: ["Longhaul"], path: "Tests/LastRequestSample",
            swiftSettings: strict),
        .executableTarget(
            name: "TaskSample", dependencies: ["Longhaul"], path: "Tests/TaskSample", swiftSettings: strict),
        .executableTarget(
            name: "ShortageSample", dependencies: ["Longhaul"], path: "Tests/ShortageSample", swiftSettings: strict),
        .executableTarget(
            name: "WakeSample", dependencies: ["Longhaul", "CSystemd"], path: "Tests/WakeSample",
            swiftSettings: strict),
        // The apps of the published write-ups, on every platform.
        .target(
            name: "ReferenceSystems", dependencies: ["Longhaul"], path: "Tests/ReferenceSystems", packageAccess: false,
            swiftSettings: strict),
        .executableTarget(
            name: "ReferenceApp", dependencies: ["Longhaul", "ReferenceSystems"], path: "Tests/ReferenceApp",
            swiftSettings: strict),
        .testTarget(
            name: "LonghaulTests", dependencies: ["Longhaul", "LonghaulFoundation", "LonghaulCore", "TestSupport"],
            swiftSettings: strict),
        // These see the API that the tests of an app see.
        .testTarget(
            name: "LonghaulTestingTests", dependencies: ["LonghaulTesting"], packageAccess: false, swiftSettings: strict
        ),
        .testTarget(
            name: "LonghaulCoreWireTests", dependencies: ["LonghaulCore", "FuzzTargets", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "LonghaulCoreTransferTests", dependencies: ["LonghaulCore", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "LonghaulCorePolicyTests", dependencies: ["LonghaulCore", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "LonghaulCoreSessionTests", dependencies: ["LonghaulCore", "TestSupport"], swiftSettings: strict),
        // The code that scripts/fuzz drives with libFuzzer; the tests replay its seeds.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "LonghaulCore", "LonghaulStore", "LonghaulIPC", "LonghaulCommand", "LonghaulMetalink", "CSQLite",
            ],
            path: "Tests/FuzzTargets", swiftSettings: strict),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets"], swiftSettings: strict),
        .testTarget(
            name: "LonghaulSystemTests", dependencies: ["LonghaulSystem", "LonghaulCore", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "LonghaulStoreTests", dependencies: ["LonghaulStore", "LonghaulCore", "CSQLite", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "LonghaulFilesTests",
            dependencies: ["LonghaulFiles", "LonghaulSystem", "LonghaulCore", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "LonghaulCurlTests",
            dependencies: ["LonghaulCurl", "LonghaulFiles", "LonghaulSystem", "LonghaulCore", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "LonghaulRuntimeTests",
            dependencies: [
                "LonghaulRuntime", "LonghaulTesting", "LonghaulStore", "LonghaulSystem", "LonghaulCore", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LonghaulConditionsTests",
            dependencies: [
                "LonghaulConditions", "LonghaulRuntime", "LonghaulSystem", "LonghaulCore", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LonghaulIPCTests",
            dependencies: [
                "LonghaulIPC", "LonghaulClient", "LonghaulSystem", "LonghaulCore", "CPlatform", "SocketTestSupport",
                "TestSupport",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "embedded-app",
            dependencies: ["LonghaulCore", "LonghaulSystem", "LonghaulRuntime", "LonghaulCurl"],
            path: "Tests/EmbeddedApp", swiftSettings: strict),
        .testTarget(
            name: "LonghaulServiceTests",
            dependencies: [
                "LonghaulService", "LonghaulIPC", "LonghaulClient", "LonghaulSystem", "LonghaulCore", "CPlatform",
                "CSQLite",
                "SocketTestSupport", "TestSupport", "embedded-app", "WakeSample", "TaskSample", "Stormy",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AcceptanceTests", dependencies: ["LonghaulCore", "TestSupport"],
            exclude: ["Network/check-metered"], swiftSettings: strict),
        // Builds the packages in Examples/ and controls their windows. They need GTK; this package does not.
        .testTarget(
            name: "DesktopTests", dependencies: ["LonghaulCore", "TestSupport", "longhauld", "longhaul"],
            exclude: ["Support/accessible.py", "Support/frames.c", "Support/widgets.c"], swiftSettings: strict),
        .testTarget(
            name: "LonghaulCommandTests",
            dependencies: [
                "LonghaulCommand", "LonghaulClient", "LonghaulSystem", "LonghaulCore", "LonghaulIPC",
                "LonghaulMetalink", "FuzzTargets", "TestSupport",
            ],
            exclude: ["Captures"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

/// Removes all targets but these and their dependencies.
func reduce(_ package: Package, to names: [String]) {
    var kept: Set<String> = []
    func keep(_ name: String) {
        guard kept.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else { return }
        for dependency in target.dependencies {
            if case .byNameItem(let name, _) = dependency { keep(name) }
        }
    }
    names.forEach(keep)
    package.targets.removeAll { !kept.contains($0.name) }
}

if onLinux {
    package.products += [
        .executable(name: "longhaul", targets: ["longhaul"]),
        .executable(name: "longhauld", targets: ["longhauld"]),
        // The app of Benchmarks, which is a separate package.
        .executable(name: "session-probe", targets: ["session-probe"]),
    ]
    package.targets += [
        .target(name: "FoundationDouble", path: "Tests/AppleDoubles/FoundationDouble", swiftSettings: strict),
        .target(name: "UIKit", path: "Tests/AppleDoubles/UIKit", swiftSettings: strict),
        .target(name: "AppKit", path: "Tests/AppleDoubles/AppKit", swiftSettings: strict),
        .target(name: "BackgroundTasks", path: "Tests/AppleDoubles/BackgroundTasks", swiftSettings: strict),
        .target(name: "UserNotifications", path: "Tests/AppleDoubles/UserNotifications", swiftSettings: strict),
        .target(name: "Network", path: "Tests/AppleDoubles/Network", swiftSettings: strict),
        .target(
            name: "SwiftUI", dependencies: ["BackgroundTasks"], path: "Tests/AppleDoubles/SwiftUI",
            swiftSettings: strict),
        .target(
            name: "UniformTypeIdentifiers", path: "Tests/AppleDoubles/UniformTypeIdentifiers", swiftSettings: strict),
        .target(
            name: "CoreTransferable", dependencies: ["UniformTypeIdentifiers"],
            path: "Tests/AppleDoubles/CoreTransferable", swiftSettings: strict),
        .target(
            name: "ExtensionFoundation", path: "Tests/AppleDoubles/ExtensionFoundation", swiftSettings: strict),
        .target(
            name: "Photos", dependencies: ["ExtensionFoundation", "FoundationDouble"], path: "Tests/AppleDoubles/Photos", swiftSettings: strict),
        .target(
            name: "PhotosUI", dependencies: ["CoreTransferable", "SwiftUI"], path: "Tests/AppleDoubles/PhotosUI",
            swiftSettings: strict),
        .executableTarget(
            name: "TerminationSample", dependencies: ["LonghaulApple", "Longhaul", "FoundationDouble", "UIKit"],
            path: "Tests/TerminationSample", swiftSettings: strict),
        .testTarget(
            name: "LonghaulURLSessionTests",
            dependencies: [
                "LonghaulApple", "Longhaul", "LonghaulFoundation", "LonghaulPhotos", "LonghaulURLSession",
                "LonghaulRuntime", "LonghaulFiles",
                "LonghaulSystem", "LonghaulCore", "FoundationDouble", "UIKit", "AppKit", "BackgroundTasks",
                "UserNotifications",
                "Network", "SwiftUI", "Photos", "PhotosUI", "TestSupport", "TerminationSample", "ReferenceSystems",
                "ReferenceApp",
                "longhauld",
                "longhaul",
            ] + phoneApps.map { .byName(name: $0.name + "Example") },
            swiftSettings: strict),
    ]
    // The apps are compiled as Xcode compiles them, with the doubles in place of Apple's frameworks.
    package.targets += phoneApps.map { app in
        .executableTarget(
            name: app.name + "Example",
            dependencies: [
                "LonghaulApple", "LonghaulFoundation", "SwiftUI", "PhotosUI", "CoreTransferable",
                "UniformTypeIdentifiers", "UserNotifications",
            ],
            path: "Examples/iOS/" + app.name, exclude: app.hasInfo ? ["Info.plist"] : [], packageAccess: false)
    }
} else {
    package.products += [
        .library(name: "LonghaulApple", targets: ["LonghaulApple"]),
        // Separate from LonghaulApple: the App Store requires a reason from each app that links the photo library.
        .library(name: "LonghaulPhotos", targets: ["LonghaulPhotos"]),
    ]
    reduce(package, to: package.products.map(\.name))
}

// The targets of `scripts/test --quick`: the tests that need no server, and their dependencies.
if Context.environment["LONGHAUL_TIER"] == "quick" {
    let slow: Set<String> = [
        "TestSupportTests", "LonghaulTests", "FuzzTests", "LonghaulCurlTests", "LonghaulConditionsTests",
        "LonghaulServiceTests", "LonghaulURLSessionTests", "AcceptanceTests", "DesktopTests",
    ]
    package.targets.removeAll { slow.contains($0.name) }
    // Without their products and tests, the rest of the executables and doubles would still be built.
    reduce(package, to: package.targets.filter { $0.type == .test }.map(\.name))
    package.products = [.library(name: "Longhaul", targets: ["Longhaul"])]
}

// The targets of `scripts/apple-check --omissions`: the Apple tests, and what they need.
if Context.environment["LONGHAUL_TIER"] == "apple" {
    reduce(package, to: ["LonghaulURLSessionTests"])
    package.products = []
}

// The targets of `scripts/test --threads`: the Apple tests, with locks that ThreadSanitizer sees.
if Context.environment["LONGHAUL_TIER"] == "threads" {
    reduce(package, to: ["LonghaulURLSessionTests"])
    package.products = []
    for target in package.targets where target.type != .system && !target.name.hasPrefix("C") {
        // A dependency makes the package build that module first.
        target.dependencies.append("SanitizedLocks")
        target.swiftSettings?.append(.unsafeFlags(["-module-alias", "Synchronization=SanitizedLocks"]))
    }
    package.targets.append(
        .target(name: "SanitizedLocks", path: "Tests/SanitizedLocks", swiftSettings: [.swiftLanguageMode(.v6)]))
}
