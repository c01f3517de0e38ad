// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names. A view that Apple draws draws itself on a canvas.
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
    ) -> TupleView<(repeat each Content)> {
        var parts: [(Canvas) -> Void] = []
        for view in repeat each content {
            let step = "\(parts.count)"
            nonisolated(unsafe) let view = view
            parts.append { canvas in MainActor.assumeIsolated { canvas.draw(view, at: step) } }
        }
        return TupleView((repeat each content), drawing: parts)
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<TrueContent: View, FalseContent: View>(
        first: TrueContent
    ) -> _ConditionalContent<TrueContent, FalseContent> { _ConditionalContent(first, nil) }
    public static func buildEither<TrueContent: View, FalseContent: View>(
        second: FalseContent
    ) -> _ConditionalContent<TrueContent, FalseContent> { _ConditionalContent(nil, second) }
}

// Source: swiftui/tupleview, swiftui/tupleview/init(_:)
@available(macOS 10.15, iOS 13.0, *)
public struct TupleView<T>: View, Drawn {
    private nonisolated(unsafe) let parts: [(Canvas) -> Void]
    public nonisolated init(_ value: T) { parts = [] }
    nonisolated init(_ value: T, drawing parts: [(Canvas) -> Void]) { self.parts = parts }
    public var body: Never { fatalError("it has no body") }
    func draw(_ canvas: Canvas) { for part in parts { part(canvas) } }
}

// Source: swiftui/_conditionalcontent
@available(macOS 10.15, iOS 13.0, *)
public struct _ConditionalContent<TrueContent: View, FalseContent: View>: View, Drawn {
    private nonisolated(unsafe) let contents: (TrueContent?, FalseContent?)
    nonisolated init(_ first: TrueContent?, _ second: FalseContent?) { contents = (first, second) }
    public var body: Never { fatalError("it has no body") }
    func draw(_ canvas: Canvas) {
        if let first = contents.0 { canvas.draw(first, at: "if") }
        if let second = contents.1 { canvas.draw(second, at: "else") }
    }
}

@available(macOS 10.15, iOS 13.0, *)
extension Never: View {}

@available(macOS 10.15, iOS 13.0, *)
extension Optional: View where Wrapped: View {
    // Source: swift/optional
    public var body: Never { fatalError("it has no body") }
}

@available(macOS 10.15, iOS 13.0, *)
extension Optional: Drawn where Wrapped: View {
    func draw(_ canvas: Canvas) {
        if let self { canvas.draw(self, at: "if") }
    }
}

// Source: swiftui/emptyview
@available(macOS 10.15, iOS 13.0, *)
public struct EmptyView: View, Drawn {
    public var body: Never { fatalError("it has no body") }
    func draw(_ canvas: Canvas) {}
}

// Source: swiftui/localizedstringkey
@available(macOS 10.15, iOS 13.0, *)
public struct LocalizedStringKey: Equatable, ExpressibleByStringInterpolation {
    let text: String
    public init(stringLiteral value: String) { text = value }
}

// Source: swiftui/text, swiftui/text/init(_:)-9d1g4, swiftui/text/init(_:tablename:bundle:comment:)
@available(macOS 10.15, iOS 13.0, *)
public struct Text: View, Drawn {
    let content: String
    @_disfavoredOverload
    public nonisolated init<S: StringProtocol>(_ content: S) { self.content = String(content) }
    public nonisolated init(
        _ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil, comment: StaticString? = nil
    ) { content = key.text }
    public var body: Never { fatalError("it has no body") }
    func draw(_ canvas: Canvas) { canvas.add(.text, content) }
}

// Source: swiftui/button
@available(macOS 10.15, iOS 13.0, *)
public struct Button<Label: View>: View, Drawn {
    private let title: String
    private let action: @MainActor () -> Void
    public var body: Never { fatalError("it has no body") }
    func draw(_ canvas: Canvas) { canvas.add(.button, title, action) }
}

@available(macOS 10.15, iOS 13.0, *)
extension Button where Label == Text {
    // Source: swiftui/button/init(_:action:)-1asy
    @preconcurrency public nonisolated init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) {
        (title, self.action) = (titleKey.text, action)
    }
}

// Source: swiftui/toggle
@available(macOS 10.15, iOS 13.0, *)
public struct Toggle<Label: View>: View, Drawn {
    private let title: String
    private nonisolated(unsafe) let isOn: Binding<Bool>
    public var body: Never { fatalError("it has no body") }
    func draw(_ canvas: Canvas) { canvas.add(.button, title) { isOn.wrappedValue.toggle() } }
}

@available(macOS 10.15, iOS 13.0, *)
extension Toggle where Label == Text {
    // Source: swiftui/toggle/init(_:ison:)
    public nonisolated init(_ titleKey: LocalizedStringKey, isOn: Binding<Bool>) {
        (title, self.isOn) = (titleKey.text, isOn)
    }
}

// Source: swiftui/progressview, swiftui/progressview/init(value:total:)
@available(macOS 11.0, iOS 14.0, *)
public struct ProgressView<Label: View, CurrentValueLabel: View>: View, Drawn {
    private let fraction: Double?
    public nonisolated init<V: BinaryFloatingPoint>(value: V?, total: V = 1.0)
    where Label == EmptyView, CurrentValueLabel == EmptyView { fraction = value.map { Double($0) / Double(total) } }
    public var body: Never { fatalError("it has no body") }
    func draw(_ canvas: Canvas) { canvas.add(.progress(fraction), "") }
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
public struct VStack<Content: View>: View, Drawn {
    private nonisolated(unsafe) let content: Content
    public nonisolated init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) { self.content = content() }
    public var body: Never { fatalError("it has no body") }
    func draw(_ canvas: Canvas) { canvas.draw(content, at: "content") }
}

// Source: swiftui/hstack, swiftui/hstack/init(alignment:spacing:content:)
@available(macOS 10.15, iOS 13.0, *)
public struct HStack<Content: View>: View, Drawn {
    private nonisolated(unsafe) let content: Content
    public nonisolated init(
        alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) { self.content = content() }
    public var body: Never { fatalError("it has no body") }
    func draw(_ canvas: Canvas) { canvas.draw(content, at: "content") }
}

// Source: swiftui/list
@available(macOS 10.15, iOS 13.0, *)
public struct List<SelectionValue: Hashable, Content: View>: View, Drawn {
    private nonisolated(unsafe) let content: Content
    public var body: Never { fatalError("it has no body") }
    func draw(_ canvas: Canvas) { canvas.draw(content, at: "content") }
}

@available(macOS 10.15, iOS 13.0, *)
extension List where SelectionValue == Never {
    // Source: swiftui/list/init(content:)
    public nonisolated init(@ViewBuilder content: () -> Content) { self.content = content() }
}

// Source: swiftui/foreach
@available(macOS 10.15, iOS 13.0, *)
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {
    nonisolated(unsafe) let data: Data
    nonisolated(unsafe) let id: KeyPath<Data.Element, ID>
    nonisolated(unsafe) let content: (Data.Element) -> Content
}

@available(macOS 10.15, iOS 13.0, *)
extension ForEach: Drawn where Content: View {
    func draw(_ canvas: Canvas) {
        for element in data { canvas.draw(content(element), at: "\(element[keyPath: id])", isRow: true) }
    }
}

@available(macOS 10.15, iOS 13.0, *)
extension ForEach: View where Content: View {
    // Source: swiftui/foreach
    public var body: Never { fatalError("it has no body") }
}

@available(macOS 10.15, iOS 13.0, *)
extension ForEach where ID == Data.Element.ID, Content: View, Data.Element: Identifiable {
    // Source: swiftui/foreach/init(_:content:)
    public nonisolated init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {
        self.init(data: data, id: \.id, content: content)
    }
}

@available(macOS 10.15, iOS 13.0, *)
extension ForEach where Content: View {
    // Source: swiftui/foreach/init(_:id:content:)
    public nonisolated init(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) { self.init(data: data, id: id, content: content) }
}

// Source: swiftui/navigationpath
@available(macOS 13.0, iOS 16.0, *)
public struct NavigationPath {}

// Source: swiftui/navigationstack, swiftui/navigationstack/init(root:)
@available(macOS 13.0, iOS 16.0, *)
public struct NavigationStack<Data, Root: View>: View, Drawn {
    private nonisolated(unsafe) let root: Root
    nonisolated init(drawing root: Root) { self.root = root }
    public nonisolated init(@ViewBuilder root: () -> Root) where Data == NavigationPath { self.root = root() }
    public var body: Never { fatalError("it has no body") }
    func draw(_ canvas: Canvas) { canvas.draw(root, at: "root") }
}
