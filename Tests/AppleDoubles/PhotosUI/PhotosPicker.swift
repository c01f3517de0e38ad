// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.
public import CoreTransferable
public import Foundation
public import SwiftUI

// Source: photosui/photospicker
@available(macOS 13.0, iOS 16.0, *)
@MainActor @preconcurrency public struct PhotosPicker<Label: View>: View {
    private nonisolated(unsafe) let title: LocalizedStringKey
    private nonisolated(unsafe) let selection: Binding<PhotosPickerItem?>
    public var body: some View {
        Button(title) { selection.wrappedValue = PhotoLibrary.choice.map(PhotosPickerItem.init(file:)) }
    }
}

@available(macOS 13.0, iOS 16.0, *)
extension PhotosPicker where Label == Text {
    // Source: photosui/photospicker/init(_:selection:matching:preferreditemencoding:)-7jbef
    public nonisolated init(
        _ titleKey: LocalizedStringKey, selection: Binding<PhotosPickerItem?>, matching filter: PHPickerFilter? = nil,
        preferredItemEncoding: PhotosPickerItem.EncodingDisambiguationPolicy = .automatic
    ) { (title, self.selection) = (titleKey, selection) }
}

// Not Sendable: https://developer.apple.com/forums/thread/736359
// Source: photosui/photospickeritem
@available(macOS 13.0, iOS 16.0, *)
public struct PhotosPickerItem: Hashable {
    // Source: photosui/photospickeritem/encodingdisambiguationpolicy
    // Source: photosui/photospickeritem/encodingdisambiguationpolicy/automatic
    public struct EncodingDisambiguationPolicy: Hashable, Sendable {
        public static let automatic = EncodingDisambiguationPolicy()
    }

    private let identifier = UUID()
    private let file: URL

    init(file: URL) { self.file = file }

    // Source: photosui/photospickeritem/loadtransferable(type:completionhandler:)
    @discardableResult
    @preconcurrency public func loadTransferable<T: Transferable>(
        type: T.Type, completionHandler: @escaping @Sendable (Result<T?, any Error>) -> Void
    ) -> Progress {
        let (file, identifier) = (file, identifier)
        Task {
            let result: Result<T?, any Error>
            do {
                // The picker's file exists only until the import returns.
                let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(identifier)")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(at: folder) }
                let copy = folder.appendingPathComponent(file.lastPathComponent)
                try FileManager.default.copyItem(at: file, to: copy)
                #if DECLARATIONS
                    result = .success(nil)
                #else
                    result = .success(try await T.load(from: copy))
                #endif
            } catch {
                result = .failure(error)
            }
            completionHandler(result)
        }
        return Progress(totalUnitCount: 1)
    }
}

/// Double only: what the user picks.
@MainActor public enum PhotoLibrary {
    public static var choice: URL?
}

// Source: photosui/phpickerfilter-swift.struct, photosui/phpickerfilter-swift.struct/images
@available(macOS 13.0, iOS 14.0, *)
public struct PHPickerFilter: Hashable, Sendable {
    public static let images = PHPickerFilter()
}
