// The only file here that knows of Linux: every other one says `import Foundation`, as on an Apple system.
#if !canImport(Darwin)
    @_exported public import FoundationDouble
#endif
