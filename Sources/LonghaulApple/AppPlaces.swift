import Foundation
import LonghaulCore
import LonghaulSystem

/// Where an app's sessions are, and how the system treats their files.
struct AppPlaces {
    /// The parent of `sessions/`.
    let home: String
    private let guarding: FileGuarding

    /// Fails with `fileFailed` where there is no place for them.
    init(_ options: AppOptions, guarding: FileGuarding) throws(TransferFailure) {
        self.guarding = guarding
        if let directory = options.directory {
            home = directory
        } else if let group = options.appGroup {
            guard let container = groupContainer(group) else {
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

    /// Makes the session's directories. Everything in them can be read from the first unlocking on, since the system starts the app
    /// also while the device is locked; what a backup would bring back in vain is left out of it.
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

/// What the system is asked to do with files. A file takes the protection of the directory in which it is made.
package struct FileGuarding: Sendable {
    /// Closes it until the device was unlocked for the first time.
    package var protect: @Sendable (_ path: String) -> Void
    /// Leaves it out of backups.
    package var excludeFromBackup: @Sendable (_ path: String) -> Void

    package init(
        protect: @escaping @Sendable (_ path: String) -> Void,
        excludeFromBackup: @escaping @Sendable (_ path: String) -> Void
    ) {
        self.protect = protect
        self.excludeFromBackup = excludeFromBackup
    }

    /// As the system does it. A file system without these attributes has nothing to protect by them.
    package static let real = FileGuarding { path in
        try? FileManager.default.setAttributes(
            [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: path)
    } excludeFromBackup: { path in
        var url = URL(fileURLWithPath: path)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try? url.setResourceValues(values)
    }
}
