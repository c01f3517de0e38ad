/// A file that had a download's name at the submission, and the test that it is the requested file.
package struct ExistingFile: Equatable, Sendable {
    /// How it is compared.
    package enum Test: Int, Equatable, Sendable {
        /// It has the digest that the whole file must have.
        case digest = 0
        /// It has the length that the server states.
        case length = 1
        /// It has the name.
        case name = 2
    }

    package var size: Int64
    package var test: Test

    package init(size: Int64, test: Test) {
        self.size = size
        self.test = test
    }
}
