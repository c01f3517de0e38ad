import Foundation

/// An episode that the user can keep for later. Its URL is not unique, and the server redirects it.
struct Episode: Identifiable, Sendable {
    let id, show, title: String
    let url: URL

    /// Creates the directory of the videos. They can be downloaded again, so backups leave them out.
    static func makeDirectory() throws -> URL {
        var directory = URL.applicationSupportDirectory.appending(path: "Episodes")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try directory.setResourceValues(values)
        return directory
    }

    // Your catalog.
    static let all = [
        Episode(id: "talk-1", show: "Talk", title: "Generics", url: URL(string: "https://talk.example.org/1")!),
        Episode(id: "talk-2", show: "Talk", title: "Macros", url: URL(string: "https://talk.example.org/2")!),
        Episode(id: "talk-3", show: "Talk", title: "Actors", url: URL(string: "https://talk.example.org/3")!),
        Episode(id: "studio", show: "Backstage", title: "Studio", url: URL(string: "https://one.example.org/new")!),
        Episode(id: "crew", show: "Backstage", title: "Crew", url: URL(string: "https://two.example.org/new")!),
        Episode(id: "concert", show: "Live", title: "Concert", url: URL(string: "https://two.example.org/new")!),
    ]
}
