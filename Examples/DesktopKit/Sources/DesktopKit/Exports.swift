@_exported public import CAdwaita
@_exported public import CDesktop
@_exported public import Longhaul
