// The only file here with code for Linux: all others use `import Foundation`, as on an Apple system.
#if !canImport(Darwin)
    @_exported public import FoundationDouble
#endif
