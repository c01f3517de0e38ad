// The only file here with code for Linux: all others are written for an Apple system.
#if canImport(Darwin)
    import Foundation
#else
    @_exported public import FoundationDouble
#endif

/// Returns the app group's container; `nil` if the app is not a member of the group.
func groupContainer(_ group: String) -> String? {
    #if canImport(Darwin)
        FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)?.path
    #else
        // There are no app groups: tests set the directories of their files.
        nil
    #endif
}
