import CPlatform
import LonghaulCore

extension Directory {
    /// Returns the permissions that a directory's default access control list (acl(5)) allows for new files; `nil` if it has none.
    ///
    /// Such a list replaces the umask. The permissions of the group are those of the list's mask, which limits all other users and groups
    /// in the list.
    package static func defaultPermissions(in path: String) -> UInt32? {
        let length = longhaul_default_acl(path, nil, 0)
        guard length > 0 else { return nil }
        var list = [UInt8](repeating: 0, count: length)
        // A list that changes at this moment counts as missing.
        guard longhaul_default_acl(path, &list, length) == length else { return nil }
        return permissions(of: list)
    }

    /// Reads the kernel's format: a version of four bytes, and entries with a tag and permissions of two bytes each and an ID of four.
    private static func permissions(of list: [UInt8]) -> UInt32? {
        var owner: UInt32?, group: UInt32?, mask: UInt32?, others: UInt32?
        for start in stride(from: 4, through: list.count - 8, by: 8) {
            let permissions = UInt32(list[start + 2]) & 0o7
            switch list[start] {
            case 0x01: owner = permissions
            case 0x04: group = permissions
            case 0x10: mask = permissions
            case 0x20: others = permissions
            default: break
            }
        }
        guard let owner, let group, let others else { return nil }
        return owner << 6 | (mask ?? group) << 3 | others
    }
}
