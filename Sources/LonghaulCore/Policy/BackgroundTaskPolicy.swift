/// Decides whether a due task is given to the app now.
package enum BackgroundTaskPolicy {
    /// The app's readiness for a task.
    package enum App: Equatable, Sendable, CaseIterable {
        case absent
        /// The app is running and has not registered a handler.
        case withoutHandler
        /// The handler has not returned from a run that timed out.
        case stuck
        case ready
    }

    /// The facts that the decision depends on.
    package struct Situation: Equatable, Sendable {
        package var request: BackgroundTaskRequest
        package var isForced: Bool
        package var isThrottled: Bool
        package var conditions: TaskConditions
        package var hasTurn: Bool
        package var app: App

        package init(
            request: BackgroundTaskRequest, isForced: Bool, isThrottled: Bool, conditions: TaskConditions,
            hasTurn: Bool, app: App
        ) {
            self.request = request
            self.isForced = isForced
            self.isThrottled = isThrottled
            self.conditions = conditions
            self.hasTurn = hasTurn
            self.app = app
        }
    }

    /// Returns the reason why the task waits; `nil` if it runs.
    package static func hold(_ situation: Situation) -> BackgroundTaskHold? {
        if !situation.isForced {
            if situation.isThrottled { return .throttled }
            let (request, conditions) = (situation.request, situation.conditions)
            if request.requiresNetworkConnectivity, conditions.hasNetwork == false { return .network }
            if request.requiresExternalPower, conditions.hasExternalPower == false { return .power }
        }
        switch situation.app {
        case .absent: return .app
        case .withoutHandler: return .handler
        case .stuck: return .stillRunning
        case .ready: return situation.hasTurn ? nil : .turn
        }
    }
}
