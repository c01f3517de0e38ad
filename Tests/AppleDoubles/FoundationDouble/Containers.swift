// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.
public import Foundation
public import Synchronization

extension FileManager {
    // No process on Linux is a member of an app group.
    // Source: foundation/filemanager/containerurl(forsecurityapplicationgroupidentifier:)
    @available(macOS 10.8, iOS 7.0, *)
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { nil }
}

extension URL {
    #if DECLARATIONS
        // Source: foundation/url/startaccessingsecurityscopedresource()
        @available(macOS 10.10, iOS 8.0, *)
        public func startAccessingSecurityScopedResource() -> Bool { false }
        // Source: foundation/url/stopaccessingsecurityscopedresource()
        @available(macOS 10.10, iOS 8.0, *)
        public func stopAccessingSecurityScopedResource() {}
    #endif

    #if DECLARATIONS
        // Source: foundation/url/documentsdirectory
        @available(macOS 13.0, iOS 16.0, *)
        public static var documentsDirectory: URL { applicationSupportDirectory }
    #endif

    // Source: foundation/url/applicationsupportdirectory
    @available(macOS 13.0, iOS 16.0, *)
    public static var applicationSupportDirectory: URL {
        AppContainer.home.withLock { home in
            home.map { URL(fileURLWithPath: $0).appendingPathComponent("Library/Application Support") }
                ?? FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
        }
    }
}

/// Double only: the container of the app.
public enum AppContainer {
    /// `nil`: the user's home directory.
    public static let home = Mutex<String?>(nil)
}
