import CTestSupport

/// An extended attribute of a file, as text; `nil` when it has none of this name.
package func attribute(_ name: String, of path: String) -> String? {
    var text = [UInt8](repeating: 0, count: 256)
    let length = test_attribute(path, name, &text, text.count)
    return length < 0 ? nil : String(decoding: text.prefix(length), as: UTF8.self)
}
