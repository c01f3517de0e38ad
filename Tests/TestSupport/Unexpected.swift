/// Thrown by a test that received an unexpected answer.
package struct Unexpected: Error {
    package init() {}
}
