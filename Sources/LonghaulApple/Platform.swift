// The only file here that knows of Linux: every other one is written as for an Apple system.
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

/// Where the app group's container is; `nil` for a group that the app is no member of.
func groupContainer(_ group: String) -> String? {
    #if canImport(Darwin)
        FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)?.path
    #else
        // There are no app groups: tests say where their files are.
        nil
    #endif
}
