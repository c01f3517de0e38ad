import LonghaulIPC
import LonghaulService
import LonghaulSystem

switch ServiceOptions.parse(Array(CommandLine.arguments.dropFirst())) {
case .run(let options):
    let status = Service(options: options, environment: ProcessEnvironment.current).run()
    // A session that is still being opened has a separate thread, which the usual exit would interfere with.
    ThisProcess.end(status)
case .help:
    print(ServiceOptions.help, terminator: "")
case .version:
    print("longhauld \(Release.version)")
case .refused(let sentence):
    ServiceLog.say("longhauld: " + sentence)
    ThisProcess.end(64)
}
