// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names. Only scripts/apple-check uses this directory.
public import CoreTransferable
public import Foundation
public import SwiftUI

// Source: photosui/photospicker
@available(macOS 13.0, iOS 16.0, *)
@MainActor @preconcurrency public struct PhotosPicker<Label: View>: View {
    public var body: Never { fatalError("it has no body") }
}

@available(macOS 13.0, iOS 16.0, *)
extension PhotosPicker where Label == Text {
    // Source: photosui/photospicker/init(_:selection:matching:preferreditemencoding:)-7jbef
    public nonisolated init(
        _ titleKey: LocalizedStringKey, selection: Binding<PhotosPickerItem?>, matching filter: PHPickerFilter? = nil,
        preferredItemEncoding: PhotosPickerItem.EncodingDisambiguationPolicy = .automatic
    ) {}
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

    // Source: photosui/photospickeritem/loadtransferable(type:completionhandler:)
    @discardableResult
    @preconcurrency public func loadTransferable<T: Transferable>(
        type: T.Type, completionHandler: @escaping @Sendable (Result<T?, any Error>) -> Void
    ) -> Progress { fatalError("only declared") }
}

// Source: photosui/phpickerfilter-swift.struct, photosui/phpickerfilter-swift.struct/images
@available(macOS 13.0, iOS 14.0, *)
public struct PHPickerFilter: Hashable, Sendable {
    public static let images = PHPickerFilter()
}
