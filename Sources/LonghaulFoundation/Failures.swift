public import Foundation
public import LonghaulCore

/// `localizedDescription` is the message of the failure, in English.
extension TransferFailure: LocalizedError {
    /// The message.
    public var errorDescription: String? { message }
}
