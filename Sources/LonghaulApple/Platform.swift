// The only file here with code for Linux: all others are written for an Apple system.
import LonghaulCore
import LonghaulRuntime

#if canImport(Darwin)
    import Foundation
#else
    @_exported public import FoundationDouble
    import LonghaulFiles

    extension AppSurroundings {
        /// This process, with its own threads for jobs on files.
        package static var real: AppSurroundings {
            AppSurroundings { sink throws(TransferFailure) in try FileWorkers(sink: sink) }
        }
    }
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
