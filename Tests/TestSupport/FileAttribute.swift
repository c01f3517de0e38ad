import CTestSupport

/// An extended attribute of a file, as text; `nil` when it has none of this name.
package func attribute(_ name: String, of path: String) -> String? {
    var text = [UInt8](repeating: 0, count: 256)
    let length = test_attribute(path, name, &text, text.count)
    return length < 0 ? nil : String(decoding: text.prefix(length), as: UTF8.self)
}

/// Whether the file system of temporary directories supports access control lists.
package let supportsAccessLists =
    (try? TemporaryDirectory()).map { setDefaultList(of: $0.path, owner: 7, group: 7, mask: 7, others: 7) } ?? false

/// Gives a directory a default access control list (acl(5)) with one named user. Returns whether the file system supports such lists.
///
/// - Parameter mask: The most that the user and the group get; `nil` for a list without the user and the mask.
package func setDefaultList(of directory: String, owner: UInt8, group: UInt8, mask: UInt8?, others: UInt8) -> Bool {
    let nobody: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
    var list: [UInt8] = [2, 0, 0, 0]
    list += [0x01, 0, owner, 0] + nobody
    if mask != nil { list += [0x02, 0, 7, 0, 1, 0, 0, 0] }
    list += [0x04, 0, group, 0] + nobody
    if let mask { list += [0x10, 0, mask, 0] + nobody }
    list += [0x20, 0, others, 0] + nobody
    return test_set_attribute(directory, "system.posix_acl_default", list, list.count) == 0
}

/// The access control list of a file, in the kernel's format; empty if it has only permissions.
package func accessList(of path: String) -> [UInt8] {
    var list = [UInt8](repeating: 0, count: 256)
    let length = test_attribute(path, "system.posix_acl_access", &list, list.count)
    return Array(list.prefix(max(length, 0)))
}
