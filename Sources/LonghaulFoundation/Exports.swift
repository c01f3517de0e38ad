@_exported public import Foundation
@_exported public import Longhaul

#if canImport(FoundationNetworking)
    // `URLRequest` on Linux.
    @_exported public import FoundationNetworking
#endif
