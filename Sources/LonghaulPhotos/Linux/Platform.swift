// All other files use `import Foundation`, as on an Apple system.
@_exported public import FoundationDouble
