import CoreTransferable
import Foundation
import UniformTypeIdentifiers

/// A copy of a photo from the picker until it is submitted. The picker deletes its file when the import returns.
struct PickedPhoto: Transferable {
    let file: URL

    static var transferRepresentation: some TransferRepresentation {
        FileRepresentation(importedContentType: .image) { received in
            let directory = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let copy = directory.appending(path: received.file.lastPathComponent)
            try FileManager.default.copyItem(at: received.file, to: copy)
            return PickedPhoto(file: copy)
        }
    }
}
