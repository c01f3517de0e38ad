import DesktopKit
import Glibc

let application = Application("io.longhaul.Screencasts", .opensFiles)
let screencasts = Screencasts(application)
exit(application.run())
