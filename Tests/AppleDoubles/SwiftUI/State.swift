// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.

// Source: swiftui/dynamicproperty
@available(macOS 10.15, iOS 13.0, *)
public protocol DynamicProperty {}

// Source: swiftui/state, swiftui/state/init(wrappedvalue:), swiftui/state/wrappedvalue, swiftui/state/projectedvalue
@available(macOS 10.15, iOS 13.0, *)
@propertyWrapper public struct State<Value>: DynamicProperty {
    private nonisolated(unsafe) let link: StateLink<Value>
    public init(wrappedValue value: Value) { link = StateLink(value) }
    public var wrappedValue: Value {
        get { link.cell.value }
        nonmutating set { link.cell.set(newValue) }
    }
    public var projectedValue: Binding<Value> {
        let cell = link.cell
        return Binding(get: { cell.value }, set: { cell.set($0) })
    }
}

@available(macOS 10.15, iOS 13.0, *)
extension State: Sendable where Value: Sendable {}

// Source: swiftui/state/init()
@available(macOS 10.15, iOS 13.0, *)
extension State where Value: ExpressibleByNilLiteral {
    public init() { self.init(wrappedValue: nil) }
}

@available(macOS 10.15, iOS 13.0, *)
extension State: StoredState {
    func connect(to cell: AnyObject?, changed: @escaping @MainActor @Sendable () -> Void) -> AnyObject {
        if let cell = cell as? StateCell<Value> { link.cell = cell }
        link.cell.changed = changed
        return link.cell
    }
}

/// The present value of a property, in the view and in its earlier and later versions.
private final class StateCell<Value> {
    private(set) var value: Value
    var changed: @MainActor @Sendable () -> Void = {}

    init(_ value: Value) { self.value = value }

    func set(_ value: Value) {
        self.value = value
        Task { @MainActor [changed] in changed() }
    }
}

private final class StateLink<Value> {
    var cell: StateCell<Value>

    init(_ value: Value) { cell = StateCell(value) }
}

// Source: swiftui/binding, swiftui/binding/wrappedvalue, swiftui/binding/projectedvalue, swiftui/binding/init(projectedvalue:)
@available(macOS 10.15, iOS 13.0, *)
@propertyWrapper public struct Binding<Value> {
    private let get: () -> Value
    private let set: (Value) -> Void
    init(get: @escaping () -> Value, set: @escaping (Value) -> Void) { (self.get, self.set) = (get, set) }
    public init(projectedValue: Binding<Value>) { self = projectedValue }
    public var projectedValue: Binding<Value> { self }
    public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }
}
