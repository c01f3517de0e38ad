import Foundation
import LonghaulCore
import Photos

/// A file of an asset in the photo library, such as a photo, its edited version, or the movie of a Live Photo.
public struct PhotoResource: Hashable, Sendable {
    /// The identity of the content, for the server: a photo keeps it, and each edited version has another one. The request carries it as
    /// its `Idempotency-Key`.
    public let key: String
    /// The identifier of the asset in the photo library of this device.
    public let assetIdentifier: String
    /// The name of the file.
    public let fileName: String

    @available(iOS 26.1, macOS 27.0, *)
    init(_ resource: PHAssetResource, of asset: PHAsset) {
        assetIdentifier = asset.localIdentifier
        fileName = resource.originalFilename
        var key = "\(asset.localIdentifier)#\(resource.type.rawValue)"
        // The system changes the date for a new title or a favorite as well. Originals never change.
        if Self.changes(resource.type) { key += "@\(Self.version(of: asset))" }
        self.key = key
    }

    /// Returns the asset's identifier, which is the first part of each key.
    static func assetIdentifier(ofKey key: String) -> String { String(key.prefix { $0 != "#" }) }

    /// Returns the modification time in seconds since 2001.
    @available(iOS 26.1, macOS 27.0, *)
    static func version(of asset: PHAsset) -> Int64 {
        Int64(asset.modificationDate?.timeIntervalSinceReferenceDate ?? 0)
    }

    private static func changes(_ type: PHAssetResourceType) -> Bool {
        switch type {
        case .fullSizePhoto, .fullSizeVideo, .fullSizePairedVideo, .adjustmentData: true
        default: false
        }
    }
}
