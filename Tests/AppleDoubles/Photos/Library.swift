// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.
@_exported public import Foundation
import Synchronization

// Source: photos/phobject, photos/phobject/localidentifier
@available(macOS 10.13, iOS 8.0, *)
open class PHObject: NSObject {
    public let localIdentifier: String
    init(_ localIdentifier: String) { self.localIdentifier = localIdentifier }
}

// Source: photos/phfetchoptions
@available(macOS 10.13, iOS 8.0, *)
open class PHFetchOptions: NSObject {}

// Source: photos/phfetchresult, photos/phfetchresult/count, photos/phfetchresult/object(at:)
@available(macOS 10.13, iOS 8.0, *)
open class PHFetchResult<ObjectType: AnyObject>: NSObject {
    private let objects: [ObjectType]
    init(_ objects: [ObjectType]) { self.objects = objects }
    open var count: Int { objects.count }
    open func object(at index: Int) -> ObjectType { objects[index] }
}

// Source: photos/phasset, photos/phasset/modificationdate
// Source: photos/phasset/fetchassets(with:), photos/phasset/fetchassets(withlocalidentifiers:options:)
@available(macOS 10.13, iOS 8.0, *)
open class PHAsset: PHObject {
    open var modificationDate: Date? { content.modified }
    open class func fetchAssets(with options: PHFetchOptions?) -> PHFetchResult<PHAsset> {
        PHFetchResult(PhotoLibraryContent.shared.read { state in state.assets.map(PHAsset.init) })
    }
    open class func fetchAssets(
        withLocalIdentifiers identifiers: [String], options: PHFetchOptions?
    ) -> PHFetchResult<PHAsset> {
        PHFetchResult(
            PhotoLibraryContent.shared.read { state in
                state.assets.filter { identifiers.contains($0.identifier) }.map(PHAsset.init)
            })
    }

    fileprivate let content: PhotoLibraryContent.Asset

    fileprivate init(_ content: PhotoLibraryContent.Asset) {
        self.content = content
        super.init(content.identifier)
    }
}

// Source: photos/phassetresourcetype
@available(macOS 10.15, iOS 9.0, *)
public enum PHAssetResourceType: Int, Sendable {
    case photo = 1
    case video, audio, alternatePhoto, fullSizePhoto, fullSizeVideo, adjustmentData, adjustmentBasePhoto, pairedVideo
    case fullSizePairedVideo, adjustmentBasePairedVideo, adjustmentBaseVideo
    case photoProxy = 19
}

// Source: photos/phassetresource, photos/phassetresource/type, photos/phassetresource/originalfilename
// Source: photos/phassetresource/assetresources(for:)
@available(macOS 10.15, iOS 9.0, *)
open class PHAssetResource: NSObject {
    public let type: PHAssetResourceType
    public let originalFilename: String
    open class func assetResources(for asset: PHAsset) -> [PHAssetResource] {
        asset.content.types.map { PHAssetResource($0, "\(asset.localIdentifier)-\($0).jpg") }
    }

    private init(_ type: PHAssetResourceType, _ name: String) { (self.type, originalFilename) = (type, name) }
}

// Source: photos/phphotoserror-swift.struct
@available(macOS 10.13, iOS 13.0, *)
public struct PHPhotosError: CustomNSError, Hashable {
    // Source: photos/phphotoserror-swift.struct/code
    // Source: photos/phphotoserror-swift.struct/limitexceeded, photos/phphotoserror-swift.struct/accessuserdenied
    public enum Code: Int, Sendable {
        case accessUserDenied = 3311
        case limitExceeded = 3306
    }
    public var code: Code

    // Source: photos/phphotoserrordomain
    public static var errorDomain: String { "PHPhotosErrorDomain" }
    public var errorCode: Int { code.rawValue }
}

// Source: photos/phphotolibrary, photos/phphotolibrary/shared(), photos/phphotolibrary/performchangesandwait(_:)
@available(macOS 10.13, iOS 8.0, *)
open class PHPhotoLibrary: NSObject {
    nonisolated(unsafe) private static let theOne = PHPhotoLibrary()
    open class func shared() -> PHPhotoLibrary { theOne }
    open func performChangesAndWait(_ changeBlock: @escaping () -> Void) throws {
        try PhotoLibraryContent.shared.change(changeBlock)
    }

    // Source: photos/phphotolibrary/uploadjobextensionenabled
    @available(macOS 27.0, iOS 26.1, *)
    open var uploadJobExtensionEnabled: Bool { PhotoLibraryContent.shared.read(\.isEnabled) }
    // Source: photos/phphotolibrary/setuploadjobextensionenabled(_:)
    @available(macOS 27.0, iOS 26.1, *)
    open func setUploadJobExtensionEnabled(_ enable: Bool) throws {
        try PhotoLibraryContent.shared.setEnabled(enable)
    }
}
