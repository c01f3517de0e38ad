/// The media type for a file name: for form parts and for tus metadata.
package enum MediaType {
    package static func guess(fileName: String) -> String {
        guard let dot = fileName.lastIndex(of: "."), dot != fileName.startIndex else { return unknown }
        return types[fileName[fileName.index(after: dot)...].lowercased()] ?? unknown
    }

    private static let unknown = "application/octet-stream"

    private static let types = [
        "txt": "text/plain", "log": "text/plain", "md": "text/markdown", "html": "text/html", "htm": "text/html",
        "css": "text/css", "csv": "text/csv", "js": "text/javascript", "json": "application/json",
        "xml": "application/xml", "pdf": "application/pdf", "zip": "application/zip", "gz": "application/gzip",
        "tar": "application/x-tar", "xz": "application/x-xz", "zst": "application/zstd",
        "7z": "application/x-7z-compressed",
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
        "avif": "image/avif", "heic": "image/heic", "svg": "image/svg+xml", "tiff": "image/tiff", "bmp": "image/bmp",
        "mp3": "audio/mpeg", "m4a": "audio/mp4", "ogg": "audio/ogg", "flac": "audio/flac", "wav": "audio/wav",
        "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime", "webm": "video/webm", "mkv": "video/matroska",
    ]
}
