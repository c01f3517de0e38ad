// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names. Modifiers of the appearance have no effect.

@available(macOS 10.15, iOS 13.0, *)
extension View {
    // Source: swiftui/view/task(priority:_:)
    @available(macOS 12.0, iOS 15.0, *)
    public nonisolated func task(
        priority: TaskPriority = .userInitiated, @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View {
        Modified(self) { canvas in
            let place = canvas.place
            if place.task == nil { place.task = Task(priority: priority) { await action() } }
        }
    }

    // Source: swiftui/view/onchange(of:initial:_:)-4psgg
    @available(macOS 14.0, iOS 17.0, *)
    public nonisolated func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
    ) -> some View {
        nonisolated(unsafe) let (value, action) = (value, action)
        return Modified(self) { canvas in
            let place = canvas.place
            let old = place.value as? V
            place.value = value
            if let old, old != value { canvas.afterwards { action(old, value) } }
            if old == nil, initial { canvas.afterwards { action(value, value) } }
        }
    }

    // Source: swiftui/view/navigationtitle(_:)
    @available(macOS 11.0, iOS 14.0, *)
    public nonisolated func navigationTitle(_ titleKey: LocalizedStringKey) -> some View {
        let title = titleKey.text
        return Modified(self) { canvas in canvas.add(.text, title) }
    }

    // Source: swiftui/view/toolbar(content:)-7vdkx
    @available(macOS 11.0, iOS 14.0, *)
    public nonisolated func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> some View {
        nonisolated(unsafe) let items = content()
        return Modified(self) { canvas in canvas.draw(items, at: "toolbar", isRow: true) }
    }

    // Source: swiftui/view/overlay(alignment:content:)
    @available(macOS 12.0, iOS 15.0, *)
    public nonisolated func overlay<V: View>(
        alignment: Alignment = .center, @ViewBuilder content: () -> V
    ) -> some View {
        nonisolated(unsafe) let overlay = content()
        return Modified(self) { canvas in canvas.draw(overlay, at: "overlay", isRow: true) }
    }

    // Source: swiftui/view/foregroundstyle(_:)
    @available(macOS 12.0, iOS 15.0, *)
    public nonisolated func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View { self }

    // Source: swiftui/view/buttonstyle(_:)-66fbx
    public nonisolated func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View { self }
}

// Source: swiftui/alignment, swiftui/alignment/center, swiftui/alignment/bottom
@available(macOS 10.15, iOS 13.0, *)
public struct Alignment: Equatable, Sendable {
    public static let center = Alignment()
    public static let bottom = Alignment()
}

// Source: swiftui/shapestyle
@available(macOS 10.15, iOS 13.0, *)
public protocol ShapeStyle: Sendable {}

// Source: swiftui/hierarchicalshapestyle
@available(macOS 12.0, iOS 15.0, *)
public struct HierarchicalShapeStyle: ShapeStyle {}

@available(macOS 12.0, iOS 15.0, *)
extension ShapeStyle where Self == HierarchicalShapeStyle {
    // Source: swiftui/shapestyle/secondary
    public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
}

// Source: swiftui/color, swiftui/color/red
@available(macOS 10.15, iOS 13.0, *)
public struct Color: ShapeStyle, Hashable {
    public static let red = Color()
}

@available(macOS 12.0, iOS 15.0, *)
extension ShapeStyle where Self == Color {
    // Source: swiftui/shapestyle/red
    public static var red: Color { .red }
}

// Source: swiftui/primitivebuttonstyle
@available(macOS 10.15, iOS 13.0, *)
@MainActor @preconcurrency public protocol PrimitiveButtonStyle {}

// Source: swiftui/borderlessbuttonstyle
@available(macOS 10.15, iOS 13.0, *)
public struct BorderlessButtonStyle: PrimitiveButtonStyle {}

@available(macOS 10.15, iOS 13.0, *)
extension PrimitiveButtonStyle where Self == BorderlessButtonStyle {
    // Source: swiftui/primitivebuttonstyle/borderless
    @MainActor @preconcurrency public static var borderless: BorderlessButtonStyle { BorderlessButtonStyle() }
}

/// A view and what its modifier adds to it.
struct Modified<Content: View>: View, Drawn {
    private nonisolated(unsafe) let content: Content
    private let add: @MainActor (Canvas) -> Void

    nonisolated init(_ content: Content, _ add: @escaping @MainActor (Canvas) -> Void) {
        (self.content, self.add) = (content, add)
    }

    var body: Never { fatalError("it has no body") }

    func draw(_ canvas: Canvas) {
        canvas.draw(content, at: "content")
        add(canvas)
    }
}
