#if os(Linux)
    import Glibc

    /// The text encoding for libraries that a thread calls. The process's own locale stays unchanged.
    package enum ThreadLocale {
        package static func withUTF8(_ body: () -> Void) {
            guard let encoding = newlocale(1 << LC_CTYPE, "C.UTF-8", nil) else { return body() }
            let before = uselocale(encoding)
            body()
            uselocale(before)
            freelocale(encoding)
        }
    }
#endif
