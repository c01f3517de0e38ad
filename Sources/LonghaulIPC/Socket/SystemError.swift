import Glibc
package import LonghaulCore

extension TransferFailure {
    /// A failure that came from the system: its own words are put behind `message`.
    package init(_ code: FailureCode, _ message: String, error: Int32) {
        self.init(code, message + " (" + String(cString: strerror(error)) + ")", origin: .system(Int(error)))
    }
}
