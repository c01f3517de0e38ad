package import LonghaulCore

/// The mount points that a session may have to wait for: removable drives and shares. The file systems of `/` and of the state directory
/// are mounted whenever a session runs.
package struct MountPoints {
    private let table: MountTable?
    private let lasting: Set<String>
    /// Most transfers of a list share one directory. A link in it may lead to another device.
    private var last: (directory: String, device: UInt64?, point: String?)?

    package init(environment: [String: String]) {
        let table = try? MountTable.current()
        let state = (try? LonghaulPaths(environment: environment))?.stateDirectory
        lasting = Set([state.flatMap { table?.mountPoint(of: Files.resolved($0) ?? $0) }, "/"].compactMap(\.self))
        self.table = table
    }

    /// Returns the mount point of an existing file or directory; `nil` if there is none to wait for.
    package func mountPoint(of path: String) -> String? {
        guard let table, let path = Files.resolved(path), let point = table.mountPoint(of: path) else { return nil }
        return lasting.contains(point) ? nil : point
    }

    /// Records the mount points of downloads, whose directories exist by now, and of sources.
    package static func record(in specs: inout [TransferSpec], environment: [String: String]) {
        guard specs.contains(where: \.mayNeedDrive) else { return }
        var points = MountPoints(environment: environment)
        for index in specs.indices { points.record(in: &specs[index]) }
    }

    private mutating func record(in spec: inout TransferSpec) {
        switch spec.work {
        case .download(var download):
            let directory = download.directory
            guard directory.hasPrefix("/"), let point = point(of: directory, in: directory) else { return }
            download.mountPoint = point
            download.foreign?.file.mountPoint = point
            spec.work = .download(download)
        case .upload(let upload):
            guard spec.sources.contains(where: { point(of: $0) != nil }) else { return }
            let recorded = try? upload.replacingSources { source throws(TransferFailure) in
                var source = source
                source.mountPoint = point(of: source)
                return source
            }
            if let recorded { spec.work = .upload(recorded) }
        case .request: break
        }
    }

    private mutating func point(of source: SourceFile) -> String? {
        if source.isStaged { return nil }
        return point(of: source.path, in: Directory.of(source.path), device: source.pin.device)
    }

    private mutating func point(of path: String, in directory: String, device: UInt64? = nil) -> String? {
        if let last, last.directory == directory, last.device == device { return last.point }
        let point = mountPoint(of: path)
        last = (directory, device, point)
        return point
    }
}

extension TransferSpec {
    fileprivate var mayNeedDrive: Bool {
        switch work {
        case .download: true
        case .upload: sources.contains { !$0.isStaged }
        case .request: false
        }
    }
}
