@_exported public import Longhaul
