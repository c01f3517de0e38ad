import CoreTransferable
import Foundation
import UniformTypeIdentifiers

/// A copy of a photo from the picker, in its own directory. The picker deletes its file when the import returns.
struct PickedPhoto: Transferable {
    let file: URL

    static var transferRepresentation: some TransferRepresentation {
        FileRepresentation(importedContentType: .image) { received in
            // Not in the temporary directory or the caches: the system may empty them before the upload has ended.
            let directory = URL.applicationSupportDirectory.appending(path: "Photos/\(UUID())")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let copy = directory.appending(path: received.file.lastPathComponent)
            try FileManager.default.copyItem(at: received.file, to: copy)
            return PickedPhoto(file: copy)
        }
    }

    /// Deletes a copy. A missing file is not an error: an earlier attempt may have deleted it.
    static func delete(_ file: URL) {
        try? FileManager.default.removeItem(at: file.deletingLastPathComponent())
    }
}
