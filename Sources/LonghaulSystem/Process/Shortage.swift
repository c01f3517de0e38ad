package import LonghaulCore

/// Nothing more can be opened beside all that is open already.
package func tooManyOpenFiles(_ error: SystemError = .noDescriptorLeft) -> TransferFailure {
    let limit = ThisProcess.descriptorLimit
    return TransferFailure(
        .tooManyOpenFiles,
        "Too many open files: all \(limit) descriptors of the process are in use. "
            + "Run fewer transfers at once, or raise the limit (ulimit -n).",
        origin: error.origin)
}

/// The process lacks a descriptor, a thread or memory for its own work.
package func systemFailure(_ error: SystemError) -> TransferFailure {
    if error.isLackOfDescriptors { return tooManyOpenFiles(error) }
    return TransferFailure(
        .internalFault, "The transfer engine lacks a system resource: \(error.text).",
        origin: error.origin)
}
