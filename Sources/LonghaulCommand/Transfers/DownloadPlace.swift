import LonghaulCore
import LonghaulSystem

/// The destination of a download by `-o`, `-d`, and `--overwrite`.
struct DownloadPlace: Equatable, Sendable {
    let directory: String
    let fileName: String?
    let collision: TransferSpec.Collision

    /// An existing file with a chosen name is an error; a name that the server suggests gets a number instead.
    init(
        output: String?, directory: String?, overwrites: Bool, world: World
    ) throws(TransferFailure) {
        let base = world.absolute(directory ?? ".")
        guard let output else {
            self.directory = Self.plain(base)
            fileName = nil
            collision = overwrites ? .overwrite : .number
            return
        }
        let path = output.hasPrefix("/") ? output : base + "/" + output
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        let name = String(path[slash...].dropFirst())
        guard output != "-" else {
            throw .usage("Only the one file of a command can go to standard output, and no file of a list.")
        }
        guard !name.isEmpty, name != ".", name != ".." else {
            throw .usage("\"\(output)\" is not a file name. To choose a directory, use -d.")
        }
        guard !LocalFiles.isDirectory(path) else {
            throw .usage("\"\(output)\" is a directory. To download into it, use -d.")
        }
        self.directory = Self.plain(String(path[..<slash]))
        fileName = name
        collision = overwrites ? .overwrite : .fail
    }

    /// The chosen file; `nil` if the server names it.
    var path: String? { fileName.map { (directory == "/" ? "" : directory) + "/" + $0 } }

    /// Creates the chosen directory if it is missing.
    func makeDirectory() throws(TransferFailure) {
        if !LocalFiles.exists(directory) { try LocalPaths.makeDirectory(directory) }
    }

    /// Checks the destination before anything is downloaded.
    ///
    /// - Parameters:
    ///   - mayExist: Whether a file of the name is no fault, since it may be the transfer's own.
    ///   - length: How long the file will be, if that is known.
    func check(
        mayExist: Bool = false, length: Int64? = nil,
        remedy: String = tr("Choose another name, resume it with -c, or replace it with --overwrite.")
    ) throws(TransferFailure) {
        try LocalPaths.checkWritableDirectory(directory)
        try LocalPaths.checkFile(
            fileName, in: directory, mayExist: mayExist || collision != .fail, length: length, remedy: remedy)
    }

    /// Removes `.` segments and double slashes. `..` stays after a directory that exists, which may be a link.
    private static func plain(_ path: String) -> String {
        var plain = ""
        for part in path.split(separator: "/") where part != "." {
            if part == "..", let slash = plain.lastIndex(of: "/"), !LocalFiles.exists(plain) {
                plain = String(plain[..<slash])
            } else {
                plain += "/" + part
            }
        }
        return plain.isEmpty ? "/" : plain
    }
}

/// The checked destinations of a list. Most entries share a directory, which is checked once, and have no name.
struct ListPlaces {
    private struct Question: Hashable {
        var directory: String?
        var overwrites: Bool
    }

    private var known: [Question: DownloadPlace] = [:]
    /// The files that were named, and by which line or URL.
    private var claimed: [String: String] = [:]

    mutating func place(
        output: String?, directory: String?, overwrites: Bool, mayExist: Bool = false, length: Int64? = nil,
        world: World
    ) throws(TransferFailure) -> DownloadPlace {
        let question = Question(directory: directory, overwrites: overwrites)
        if output == nil, let place = known[question] { return place }
        let place = try DownloadPlace(output: output, directory: directory, overwrites: overwrites, world: world)
        if directory != nil { try place.makeDirectory() }
        try place.check(mayExist: mayExist, length: length)
        if output == nil { known[question] = place }
        return place
    }

    /// Refuses a name that an earlier line or URL has.
    mutating func claim(_ place: DownloadPlace, by claimer: String) throws(TransferFailure) {
        guard let path = place.path else { return }
        if let first = claimed[path] {
            throw .usage("\(first) also names \(path). Choose another name for one of them.")
        }
        claimed[path] = claimer
    }
}
