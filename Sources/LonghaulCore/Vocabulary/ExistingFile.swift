/// A file that had a download's name when it was asked for, and by what it is known to be the one that is wanted.
package struct ExistingFile: Equatable, Sendable {
    /// How it is compared.
    package enum Test: Int, Equatable, Sendable {
        /// It has the digest that the whole must have.
        case digest = 0
        /// It is as long as the server says.
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
