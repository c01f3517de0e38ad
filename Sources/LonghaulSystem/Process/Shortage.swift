package import LonghaulCore

/// Returns the failure for a lack of descriptors.
package func tooManyOpenFiles(_ error: SystemError = .noDescriptorLeft) -> TransferFailure {
    let limit = ThisProcess.descriptorLimit
    return TransferFailure(
        .tooManyOpenFiles,
        "Too many open files: all \(limit) descriptors of the process are in use. "
            + "Run fewer transfers at once, or raise the limit (ulimit -n).",
        origin: error.origin)
}

/// Returns the failure for a lack of a descriptor, a thread, or memory for the engine's own work.
package func systemFailure(_ error: SystemError) -> TransferFailure {
    if error.isLackOfDescriptors { return tooManyOpenFiles(error) }
    return TransferFailure(
        .internalFault, "The transfer engine lacks a system resource: \(error.text).",
        origin: error.origin)
}
