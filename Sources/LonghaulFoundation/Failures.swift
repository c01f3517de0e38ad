public import Foundation
public import LonghaulCore

/// What `localizedDescription` says is the failure's sentence. Its language is English.
extension TransferFailure: LocalizedError {
    /// The sentence.
    public var errorDescription: String? { message }
}
