import LonghaulCore
import LonghaulIPC
import LonghaulSystem

/// Starts apps. Each start has a separate thread, so that a slow bus delays no session and no client.
struct Waker: Sendable {
    let environment: [String: String]

    /// Starts an app and reports the outcome. A missing bus, display, or app is an outcome, not an error: the session's events
    /// wait.
    func start(_ order: WakeOrder, then: @escaping @Sendable (WakeReport) -> Void) {
        NativeThread {
            let report = perform(order)
            Self.log(order, report)
            then(report)
        }.detach()
    }

    private func perform(_ order: WakeOrder) -> WakeReport {
        switch order.method {
        case .dbus(let appID, let action):
            BusActivation(appID: appID, action: action).activate(for: order.request)
        case .systemdUnit(let name):
            if let manager = UserManager(environment: environment) {
                manager.start(unit: name, for: order.request)
            } else {
                WakeReport(.unreachable, "The user's systemd is not running, so \(name) cannot start.")
            }
        case .command(let arguments):
            command(order.request.command(arguments), order.request)
        }
    }

    private func command(_ arguments: [String], _ request: WakeRequest) -> WakeReport {
        let program = arguments[0]
        do throws(SystemError) {
            try Files.check(.execute, program)
        } catch {
            return ProgramStart.report(program, error)
        }
        // An app started by systemd is outside the service's sandbox, and does not end with the service.
        if let manager = UserManager(environment: environment) {
            return manager.run(arguments, for: request, environment: environment)
        }
        return ProgramStart(environment: environment).run(arguments, for: request)
    }

    private static func log(_ order: WakeOrder, _ report: WakeReport) {
        if !order.remark.isEmpty {
            ServiceLog.notice(
                "app is woken again",
                ["session": order.request.session, "message": order.remark])
        }
        let values: KeyValuePairs = [
            "session": order.request.session, "reason": order.request.reason.rawValue,
            "message": report.message,
        ]
        if report.outcome == .started {
            ServiceLog.notice(
                "app woken",
                ["session": order.request.session, "reason": order.request.reason.rawValue])
        } else {
            ServiceLog.notice("app cannot be woken", values)
        }
    }
}
