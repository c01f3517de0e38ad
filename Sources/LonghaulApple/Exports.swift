#if os(iOS) || os(macOS) || os(Linux)
    @_exported public import Longhaul
#else
    #error("LonghaulApple supports iOS and macOS.")
#endif
