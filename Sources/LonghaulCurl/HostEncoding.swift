import Glibc

/// Has libcurl read hosts' names on this thread as UTF-8, which URLs are here, whatever the locale of the process: it converts
/// what is not ASCII (IDNA) from the encoding of the thread's locale. The process's own locale stays as it is.
func withHostsInUTF8(_ body: () -> Void) {
    guard let encoding = newlocale(1 << LC_CTYPE, "C.UTF-8", nil) else { return body() }
    let before = uselocale(encoding)
    body()
    uselocale(before)
    freelocale(encoding)
}
