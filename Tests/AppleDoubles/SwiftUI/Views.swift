// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names. Nothing draws a view.
public import Foundation

// Source: swiftui/view, swiftui/view/body-swift.property
@available(macOS 10.15, iOS 13.0, *)
@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Self.Body { get }
}

// Source: swiftui/viewbuilder, swiftui/viewbuilder/buildexpression(_:), swiftui/viewbuilder/buildblock(_:)
// Source: swiftui/viewbuilder/buildif(_:), swiftui/viewbuilder/buildeither(first:), swiftui/viewbuilder/buildeither(second:)
@available(macOS 10.15, iOS 13.0, *)
@resultBuilder public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    @_disfavoredOverload
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> { TupleView((repeat each content)) }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<TrueContent: View, FalseContent: View>(
        first: TrueContent
    ) -> _ConditionalContent<TrueContent, FalseContent> { _ConditionalContent() }
    public static func buildEither<TrueContent: View, FalseContent: View>(
        second: FalseContent
    ) -> _ConditionalContent<TrueContent, FalseContent> { _ConditionalContent() }
}

// Source: swiftui/tupleview, swiftui/tupleview/init(_:)
@available(macOS 10.15, iOS 13.0, *)
public struct TupleView<T>: View {
    public nonisolated init(_ value: T) {}
    public var body: Never { fatalError("it has no body") }
}

// Source: swiftui/_conditionalcontent
@available(macOS 10.15, iOS 13.0, *)
public struct _ConditionalContent<TrueContent: View, FalseContent: View>: View {
    nonisolated init() {}
    public var body: Never { fatalError("it has no body") }
}

@available(macOS 10.15, iOS 13.0, *)
extension Never: View {}

@available(macOS 10.15, iOS 13.0, *)
extension Optional: View where Wrapped: View {
    // Source: swift/optional
    public var body: Never { fatalError("it has no body") }
}

// Source: swiftui/emptyview
@available(macOS 10.15, iOS 13.0, *)
public struct EmptyView: View {
    public var body: Never { fatalError("it has no body") }
}

// Source: swiftui/localizedstringkey
@available(macOS 10.15, iOS 13.0, *)
public struct LocalizedStringKey: Equatable, ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {}
}

// Source: swiftui/text, swiftui/text/init(_:)-9d1g4, swiftui/text/init(_:tablename:bundle:comment:)
@available(macOS 10.15, iOS 13.0, *)
public struct Text: View {
    @_disfavoredOverload
    public nonisolated init<S: StringProtocol>(_ content: S) {}
    public nonisolated init(
        _ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil, comment: StaticString? = nil
    ) {}
    public var body: Never { fatalError("it has no body") }
}

// Source: swiftui/button
@available(macOS 10.15, iOS 13.0, *)
public struct Button<Label: View>: View {
    public var body: Never { fatalError("it has no body") }
}

@available(macOS 10.15, iOS 13.0, *)
extension Button where Label == Text {
    // Source: swiftui/button/init(_:action:)-1asy
    @preconcurrency public nonisolated init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) {}
}

// Source: swiftui/progressview, swiftui/progressview/init(value:total:)
@available(macOS 11.0, iOS 14.0, *)
public struct ProgressView<Label: View, CurrentValueLabel: View>: View {
    public nonisolated init<V: BinaryFloatingPoint>(value: V?, total: V = 1.0)
    where Label == EmptyView, CurrentValueLabel == EmptyView {}
    public var body: Never { fatalError("it has no body") }
}

// Source: swiftui/horizontalalignment, swiftui/horizontalalignment/leading, swiftui/horizontalalignment/center
@available(macOS 10.15, iOS 13.0, *)
public struct HorizontalAlignment: Equatable, Sendable {
    public static let leading = HorizontalAlignment()
    public static let center = HorizontalAlignment()
}

// Source: swiftui/verticalalignment, swiftui/verticalalignment/center
@available(macOS 10.15, iOS 13.0, *)
public struct VerticalAlignment: Equatable, Sendable {
    public static let center = VerticalAlignment()
}

// Source: swiftui/vstack, swiftui/vstack/init(alignment:spacing:content:)
@available(macOS 10.15, iOS 13.0, *)
public struct VStack<Content: View>: View {
    public nonisolated init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) {}
    public var body: Never { fatalError("it has no body") }
}

// Source: swiftui/hstack, swiftui/hstack/init(alignment:spacing:content:)
@available(macOS 10.15, iOS 13.0, *)
public struct HStack<Content: View>: View {
    public nonisolated init(
        alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) {}
    public var body: Never { fatalError("it has no body") }
}

// Source: swiftui/list
@available(macOS 10.15, iOS 13.0, *)
public struct List<SelectionValue: Hashable, Content: View>: View {
    public var body: Never { fatalError("it has no body") }
}

@available(macOS 10.15, iOS 13.0, *)
extension List where SelectionValue == Never {
    // Source: swiftui/list/init(content:)
    public nonisolated init(@ViewBuilder content: () -> Content) {}
}

// Source: swiftui/foreach
@available(macOS 10.15, iOS 13.0, *)
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {}

@available(macOS 10.15, iOS 13.0, *)
extension ForEach: View where Content: View {
    // Source: swiftui/foreach
    public var body: Never { fatalError("it has no body") }
}

@available(macOS 10.15, iOS 13.0, *)
extension ForEach where ID == Data.Element.ID, Content: View, Data.Element: Identifiable {
    // Source: swiftui/foreach/init(_:content:)
    public nonisolated init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}

// Source: swiftui/navigationpath
@available(macOS 13.0, iOS 16.0, *)
public struct NavigationPath {}

// Source: swiftui/navigationstack, swiftui/navigationstack/init(root:)
@available(macOS 13.0, iOS 16.0, *)
public struct NavigationStack<Data, Root: View>: View {
    public nonisolated init(@ViewBuilder root: () -> Root) where Data == NavigationPath {}
    public var body: Never { fatalError("it has no body") }
}

// Source: swiftui/dynamicproperty
@available(macOS 10.15, iOS 13.0, *)
public protocol DynamicProperty {}

// Source: swiftui/state, swiftui/state/init(wrappedvalue:), swiftui/state/wrappedvalue, swiftui/state/projectedvalue
@available(macOS 10.15, iOS 13.0, *)
@propertyWrapper public struct State<Value>: DynamicProperty {
    public init(wrappedValue value: Value) {}
    public var wrappedValue: Value {
        get { fatalError("only declared") }
        nonmutating set { fatalError("only declared") }
    }
    public var projectedValue: Binding<Value> { fatalError("only declared") }
}

@available(macOS 10.15, iOS 13.0, *)
extension State: Sendable where Value: Sendable {}

// Source: swiftui/state/init()
@available(macOS 10.15, iOS 13.0, *)
extension State where Value: ExpressibleByNilLiteral {
    public init() {}
}

// Source: swiftui/binding, swiftui/binding/wrappedvalue, swiftui/binding/init(projectedvalue:)
@available(macOS 10.15, iOS 13.0, *)
@propertyWrapper public struct Binding<Value> {
    public init(projectedValue: Binding<Value>) {}
    public var wrappedValue: Value {
        get { fatalError("only declared") }
        nonmutating set { fatalError("only declared") }
    }
}
