import LonghaulCore
import TestSupport

/// Realistic pictures of any length: bytes after a picture's end do not change it.
extension Desktop {
    /// Creates a photo in the directory where apps are started, and returns its path.
    func makePhoto(_ name: String, sky: String, sea: String, length: Int64 = 0) async throws -> String {
        let path = product.home.path("work/" + name)
        try await run(
            "/usr/bin/convert", "-size", "640x300", "gradient:\(sky)", "(", "-size", "640x180", "gradient:\(sea)", ")",
            "-append", "-fill", "#fff3c4", "-draw", "circle 420,210 420,160", "-quality", "90", "jpeg:" + path)
        if length > 0 { try await run("/usr/bin/truncate", "-s", "\(length)", path) }
        return path
    }

    /// Sets Photo Drop's upload URL, as the user does in its dialog.
    func setAlbum(_ url: String) throws {
        try product.home.makeDirectory("config/photo-drop")
        try product.home.write("[Server]\naddress=\(url)\n".utf8, to: "config/photo-drop/settings.ini")
    }
}
