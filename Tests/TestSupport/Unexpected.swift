/// Thrown by a test that was given another answer than the one it is about.
package struct Unexpected: Error {
    package init() {}
}
