#if os(Linux)
    import Glibc

    /// A library that is loaded at run time instead of being linked.
    package enum SharedLibrary {
        package enum Answer {
            case noLibrary, noFunction
            case text(String?)
        }

        /// Loads a library as the linker would, and calls a function without parameters that returns a string.
        package static func call(_ library: String, _ function: String) -> Answer {
            guard let handle = dlopen(library, RTLD_NOW | RTLD_LOCAL) else { return .noLibrary }
            defer { dlclose(handle) }
            guard let symbol = dlsym(handle, function) else { return .noFunction }
            let call = unsafeBitCast(symbol, to: (@convention(c) () -> UnsafePointer<CChar>?).self)
            return .text(call().map { String(cString: $0) })
        }
    }
#endif
