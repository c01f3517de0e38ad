package import LonghaulCore

/// The mount points that a session may have to wait for: removable drives and shares. The file systems of `/` and of the state directory
/// are mounted whenever a session runs.
package struct MountPoints {
    private let table: MountTable?
    private let lasting: Set<String>

    package init(environment: [String: String]) {
        let table = try? MountTable.current()
        let state = (try? LonghaulPaths(environment: environment))?.stateDirectory
        lasting = Set([state.flatMap { table?.mountPoint(of: Files.resolved($0) ?? $0) }, "/"].compactMap(\.self))
        self.table = table
    }

    /// Returns the mount point of an existing directory; `nil` if there is none to wait for.
    package func mountPoint(of directory: String) -> String? {
        guard let table, let path = Files.resolved(directory), let point = table.mountPoint(of: path) else {
            return nil
        }
        return lasting.contains(point) ? nil : point
    }

    /// Records the mount points of downloads, whose directories exist by now.
    package static func record(in specs: inout [TransferSpec], environment: [String: String]) {
        guard specs.contains(where: { $0.download != nil }) else { return }
        let points = MountPoints(environment: environment)
        // Most downloads of a list share one directory.
        var last: (directory: String, point: String?)?
        for index in specs.indices {
            guard let directory = specs[index].download?.directory, directory.hasPrefix("/") else { continue }
            if last?.directory != directory { last = (directory, points.mountPoint(of: directory)) }
            if let point = last?.point { specs[index].download?.mountPoint = point }
        }
    }
}
