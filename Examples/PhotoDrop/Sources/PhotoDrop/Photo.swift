import DesktopKit

/// A photo as a file.
enum Photo {
    static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    /// By its name, so that nothing is read.
    static func isPhoto(_ path: String) -> Bool {
        guard let type = g_content_type_guess(path, nil, 0, nil) else { return false }
        defer { g_free(type) }
        return g_content_type_is_a(type, "image/*") != 0
    }

    /// Shows a small picture of a file when it is read and scaled, which other threads do. What is no picture, or not
    /// there any more, leaves what `picture` shows.
    static func show(_ path: String, in picture: Widget, size: gint) {
        let request = Thumbnail(picture: picture, size: size)
        let file = g_file_new_for_path(path)
        g_file_read_async(
            file, G_PRIORITY_LOW, nil,
            { file, result, data in
                let request = Unmanaged<Thumbnail>.fromOpaque(data!).takeRetainedValue()
                guard let stream = g_file_read_finish(file.map { OpaquePointer($0) }, result, nil) else { return }
                gdk_pixbuf_new_from_stream_at_scale_async(
                    stream.cast(), request.size, request.size, 1, nil,
                    { _, result, data in
                        let request = Unmanaged<Thumbnail>.fromOpaque(data!).takeRetainedValue()
                        guard let pixels = gdk_pixbuf_new_from_stream_finish(result, nil) else { return }
                        let upright = gdk_pixbuf_apply_embedded_orientation(pixels)
                        let texture = gdk_texture_new_for_pixbuf(upright)
                        gtk_picture_set_paintable(request.picture.cast(), texture?.cast())
                        for object in [texture?.address, upright?.address, pixels.address] { g_object_unref(object) }
                    }, Unmanaged.passRetained(request).toOpaque())
                g_object_unref(stream)
            }, Unmanaged.passRetained(request).toOpaque())
        g_object_unref(file?.address)
    }
}

/// Keeps the widget until its picture is there.
private final class Thumbnail {
    let picture: Widget
    let size: gint

    init(picture: Widget, size: gint) {
        self.picture = picture
        self.size = size
        g_object_ref(picture)
    }

    isolated deinit {
        g_object_unref(picture)
    }
}
