package import Foundation
import LonghaulCore
import LonghaulSystem

/// The directory of an app's sessions, and the system's treatment of their files.
struct AppPlaces {
    /// The parent of `sessions/`.
    let home: String
    /// The container of the app group; `nil` without a group.
    let group: String?
    private let guarding: FileGuarding

    /// Fails with `fileFailed` if there is no directory for them.
    init(_ options: AppOptions, guarding: FileGuarding) throws(TransferFailure) {
        self.guarding = guarding
        let container = options.appGroup.flatMap {
            FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: $0)?.path
        }
        group = container
        if let directory = options.directory {
            home = directory
        } else if let group = options.appGroup {
            guard let container else {
                throw TransferFailure(
                    .invalidArgument, "The app is not a member of the group \(group). Add it to the app's entitlements."
                )
            }
            home = container + "/Library/Application Support/Longhaul"
        } else {
            do {
                let support = try FileManager.default.url(
                    for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
                home = support.appendingPathComponent("Longhaul").path
            } catch {
                throw TransferFailure(.fileFailed, "There is no directory for the app's files.")
            }
        }
    }

    /// Creates the session's directories. All files in them are readable after the first unlock, because the system also starts the app
    /// while the device is locked. Files that are useless after a restore are excluded from backups.
    func prepare(_ session: SessionID) throws(TransferFailure) {
        let layout = SessionLayout(stateDirectory: home, session: session)
        try PrivateDirectory.create(home, mayTighten: true)
        try PrivateDirectory.create(layout.directory, mayTighten: true)
        guarding.protect(home)
        guarding.protect(layout.directory)
        for part in ["exchanges", "staged"] {
            let path = layout.directory + "/" + part
            try PrivateDirectory.create(path, mayTighten: true)
            guarding.protect(path)
            guarding.excludeFromBackup(path)
        }
    }
}

/// System attributes of files. A file inherits the protection of the directory in which it is created.
package struct FileGuarding: Sendable {
    /// Makes the path inaccessible until the device was unlocked for the first time.
    package var protect: @Sendable (_ path: String) -> Void
    /// Excludes the path from backups.
    package var excludeFromBackup: @Sendable (_ path: String) -> Void

    package init(
        protect: @escaping @Sendable (_ path: String) -> Void,
        excludeFromBackup: @escaping @Sendable (_ path: String) -> Void
    ) {
        self.protect = protect
        self.excludeFromBackup = excludeFromBackup
    }

    /// Sets the system's attributes by the given calls. A file system without these attributes needs no protection by them.
    package init(
        setAttributes: @escaping @Sendable (_ attributes: [FileAttributeKey: Any], _ path: String) throws -> Void,
        setResourceValues: @escaping @Sendable (_ values: URLResourceValues, _ url: URL) throws -> Void
    ) {
        self.init { path in
            try? setAttributes([.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], path)
        } excludeFromBackup: { path in
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            try? setResourceValues(values, URL(fileURLWithPath: path))
        }
    }

    package static let real = FileGuarding { attributes, path in
        try FileManager.default.setAttributes(attributes, ofItemAtPath: path)
    } setResourceValues: { values, url in
        var url = url
        try url.setResourceValues(values)
    }
}
