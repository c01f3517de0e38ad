import Foundation
import FoundationDouble
import LonghaulCore
import Testing

@testable import PhotoUploadExample

/// The app that uploads photos.
extension AppleSystems {
    @Suite struct PhotoUploadTests {
        @Test func photoIsUploaded() async throws {
            let phone = try await Phone(PhotoUploadApp.self)
            try await phone.open()
            try await phone.pick(try phone.world.photo(300_000))
            try await phone.shows("photo-300000.jpg", advances: false)
            try await phone.leave(handingOver: 1)
            await phone.kill()
            try await phone.world.goUntilLaunched()
            try await phone.open()
            try await phone.shows("\(TransferState.succeeded)")
            await phone.end()
        }
    }
}
