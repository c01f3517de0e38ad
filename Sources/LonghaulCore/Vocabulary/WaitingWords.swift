extension Waiting {
    /// Why it waits, as a phrase for a person and without a date: `until` has that. What a failure says comes first.
    public var message: String {
        switch reason {
        case .turn: "Waiting for its turn"
        case .notBefore: "Waiting for its date"
        case .retry: failure?.message ?? "Waiting to try again"
        case .network: "Waiting for a network"
        case .diskSpace: "Waiting for space on the disk"
        case .credentials: isBeingAnswered ? "Asking for a password" : "Waiting for a password"
        case .serverBusy: "The server is busy and asked to wait"
        case .metered: "Waiting for a network that is not metered"
        case .constrained: "Waiting until more traffic is wanted"
        case .roaming: "Waiting for the end of roaming"
        case .power: "Waiting for external power"
        case .battery: "Waiting for a fuller battery"
        case .hours: "Waiting for its hours"
        case .budget: "The data budget is used up"
        case .sleep: "Waiting for the machine to be awake again"
        }
    }
}
