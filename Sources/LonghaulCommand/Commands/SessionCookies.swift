import LonghaulCore
import LonghaulSystem

/// The cookie jar of a session, for transfers with `--session-cookies`.
struct SessionCookies {
    private let path: String
    let count: Int

    init(of session: SessionID, stateDirectory: String) {
        path = SessionLayout(stateDirectory: stateDirectory, session: session).cookies
        let content = (try? LocalFiles.readAll(path, limit: 16 << 20)) ?? []
        count = String(decoding: content, as: UTF8.self).split(separator: "\n").count { line in
            !line.hasPrefix("#") || line.hasPrefix("#HttpOnly_")
        }
    }

    var lines: [String] {
        count == 0 ? [] : [DisplayText.fit(tr("Cookies"), 14) + tr("\(count) in \(path)")]
    }

    /// Deletes the jar. Running transfers that use it may write it once more.
    func clear() throws(TransferFailure) {
        guard LocalFiles.exists(path) else { return }
        do throws(SystemError) {
            try Files.remove(path)
        } catch {
            throw TransferFailure(.fileFailed, "Cannot delete \(path): \(error.text).", origin: error.origin)
        }
    }
}
