import LonghaulClient
import LonghaulCore

/// Where `-o`, `-d` and `--overwrite` put a download.
struct DownloadPlace: Equatable, Sendable {
    let directory: String
    let fileName: String?
    let collision: TransferSpec.Collision

    /// A name that was chosen is meant: a file that has it already is an error. A name that the server suggests gives way.
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
            throw .usage("only the one file of a command goes to standard output, and no line of a list")
        }
        guard !name.isEmpty, name != ".", name != ".." else {
            throw .usage("\"\(output)\" names no file; choose a directory with -d")
        }
        guard !LocalFiles.isDirectory(path) else { throw .usage("\"\(output)\" is a directory; choose it with -d") }
        self.directory = Self.plain(String(path[..<slash]))
        fileName = name
        collision = overwrites ? .overwrite : .fail
    }

    /// The file that was named; `nil` where the server names it.
    var path: String? { fileName.map { (directory == "/" ? "" : directory) + "/" + $0 } }

    /// A directory that was chosen, and not only part of a file's name, is made where it is missing.
    func makeDirectory() throws(TransferFailure) {
        if !LocalFiles.exists(directory) { try LocalPaths.makeDirectory(directory) }
    }

    /// Says at once what would otherwise be found out after the bytes have come.
    ///
    /// - Parameters:
    ///   - mayExist: Whether a file of the name is no fault, since it may be the transfer's own.
    ///   - length: How long the file will be, if that is known.
    func check(
        mayExist: Bool = false, length: Int64? = nil,
        remedy: String = "Choose another name, give -c to go on with it, or --overwrite to replace it."
    ) throws(TransferFailure) {
        try LocalPaths.checkWritableDirectory(directory)
        try LocalPaths.checkFile(
            fileName, in: directory, mayExist: mayExist || collision != .fail, length: length, remedy: remedy)
    }

    /// Without the `.` segments and double slashes that joining brings; `..` stays, since links may lead anywhere.
    private static func plain(_ path: String) -> String {
        let parts = path.split(separator: "/").filter { $0 != "." }
        return "/" + parts.joined(separator: "/")
    }
}

/// The places of a list's downloads, checked. Most share one directory, which is looked at once, and have no name of their own.
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

    /// Refuses a name that an earlier line or URL has: one of the two would be fetched for nothing.
    mutating func claim(_ place: DownloadPlace, by claimer: String) throws(TransferFailure) {
        guard let path = place.path else { return }
        if let first = claimed[path] {
            throw .usage("\(first) names \(path) as well; give one of them another name")
        }
        claimed[path] = claimer
    }
}
