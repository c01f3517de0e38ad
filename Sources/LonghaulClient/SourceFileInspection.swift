public import LonghaulCore

extension SourceFile {
    /// Looks at a file and pins it. Fails with `sourceMissing` or `sourceUnreadable`, directories included.
    public static func inspect(path: String) throws(TransferFailure) -> SourceFile { fatalError() }
}

/// Reads everything from a descriptor into the session's directory, so that it can be uploaded after this process is gone.
public enum StagedBody {
    /// Copies until end of file, syncs, and names the result as a staged source.
    public static func stage(
        descriptor: Int32, for session: SessionID
    ) throws(TransferFailure) -> SourceFile { fatalError() }
}
