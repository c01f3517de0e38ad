import DesktopKit

/// Operations on the files of photos.
enum Photo {
    static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    /// Whether the file's name is that of an image. Does not read the file.
    static func isPhoto(_ path: String) -> Bool {
        guard let type = g_content_type_guess(path, nil, 0, nil) else { return false }
        defer { g_free(type) }
        return g_content_type_is_a(type, "image/*") != 0
    }

    /// Shows the middle square of a photo, after other threads have read and scaled it. If the file is missing or is no photo,
    /// `image` does not change.
    static func show(_ path: String, in image: Widget) {
        let file = g_file_new_for_path(path)
        g_file_read_async(
            file, G_PRIORITY_LOW, nil,
            { file, result, image in
                guard let stream = g_file_read_finish(file.map { OpaquePointer($0) }, result, nil) else {
                    return g_object_unref(image)
                }
                gdk_pixbuf_new_from_stream_at_scale_async(
                    stream.cast(), 224, 224, 1, nil, { _, result, image in Photo.finish(result, image) }, image)
                g_object_unref(stream)
            }, g_object_ref(image))
        g_object_unref(file?.address)
    }

    private static func finish(_ result: OpaquePointer?, _ image: UnsafeMutableRawPointer?) {
        defer { g_object_unref(image) }
        guard let image, let pixels = gdk_pixbuf_new_from_stream_finish(result, nil) else { return }
        let upright = gdk_pixbuf_apply_embedded_orientation(pixels)
        let (width, height) = (gdk_pixbuf_get_width(upright), gdk_pixbuf_get_height(upright))
        let side = min(width, height)
        let middle = gdk_pixbuf_new_subpixbuf(upright, (width - side) / 2, (height - side) / 2, side, side)
        let texture = gdk_texture_new_for_pixbuf(middle)
        gtk_image_set_from_paintable(OpaquePointer(image), texture?.cast())
        for object in [texture?.address, middle?.address, upright?.address, pixels.address] { g_object_unref(object) }
    }
}
