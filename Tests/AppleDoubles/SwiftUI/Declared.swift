// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names. Apps compile against them. The window on Linux draws none of them.
#if DECLARATIONS
    public import Foundation
    #if os(iOS)
        public import UniformTypeIdentifiers
    #endif

    // Source: swiftui/section
    @available(macOS 10.15, iOS 13.0, *)
    public struct Section<Parent, Content, Footer> {}

    // Source: swiftui/section
    @available(macOS 10.15, iOS 13.0, *)
    extension Section: View where Parent: View, Content: View, Footer: View {
        public var body: Never { fatalError("it has no body") }
    }

    @available(macOS 10.15, iOS 13.0, *)
    extension Section where Parent == EmptyView, Content: View, Footer == EmptyView {
        // Source: swiftui/section/init(content:)
        public nonisolated init(@ViewBuilder content: () -> Content) {}
    }

    @available(macOS 10.15, iOS 13.0, *)
    extension Section where Parent == Text, Content: View, Footer == EmptyView {
        // Source: swiftui/section/init(_:content:)
        public nonisolated init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) {}
        @_disfavoredOverload
        public nonisolated init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {}
    }

    // Source: swiftui/textfield
    @available(macOS 10.15, iOS 13.0, *)
    public struct TextField<Label: View>: View {
        public var body: Never { fatalError("it has no body") }
    }

    @available(macOS 10.15, iOS 13.0, *)
    extension TextField where Label == Text {
        // Source: swiftui/textfield/init(_:text:)
        public nonisolated init(_ titleKey: LocalizedStringKey, text: Binding<String>) {}
    }

    @available(macOS 10.15, iOS 13.0, *)
    extension Button where Label == Text {
        // Source: swiftui/button/init(_:action:)-lpm7
        @_disfavoredOverload @preconcurrency
        public nonisolated init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {
            self.init(LocalizedStringKey(stringLiteral: String(title)), action: action)
        }
    }

    @available(macOS 13.0, iOS 16.0, *)
    extension NavigationStack
    where Data: MutableCollection & RandomAccessCollection & RangeReplaceableCollection, Data.Element: Hashable {
        // Source: swiftui/navigationstack/init(path:root:)
        public nonisolated init(path: Binding<Data>, @ViewBuilder root: () -> Root) { self.init(drawing: root()) }
    }

    // Source: swiftui/navigationlink
    @available(macOS 10.15, iOS 13.0, *)
    public struct NavigationLink<Label: View, Destination: View>: View {
        public var body: Never { fatalError("it has no body") }
    }

    @available(macOS 13.0, iOS 16.0, *)
    extension NavigationLink where Label == Text, Destination == Never {
        // Source: swiftui/navigationlink/init(_:value:)
        public nonisolated init<P: Hashable>(_ titleKey: LocalizedStringKey, value: P?) {}
        @_disfavoredOverload
        public nonisolated init<S: StringProtocol, P: Hashable>(_ title: S, value: P?) {}
    }

    // Source: swiftui/sharelink
    @available(macOS 13.0, iOS 16.0, *)
    public struct ShareLink: View {
        // Source: swiftui/sharelink/init(item:subject:message:)
        public nonisolated init(item: URL, subject: Text? = nil, message: Text? = nil) {}
        public var body: Never { fatalError("it has no body") }
    }

    // Source: swiftui/font, swiftui/font/caption
    @available(macOS 10.15, iOS 13.0, *)
    public struct Font: Hashable, Sendable {
        public static let caption = Font()
    }

    // Source: swiftui/scenephase
    @available(macOS 11.0, iOS 14.0, *)
    public enum ScenePhase: Comparable, Sendable {
        case background, inactive, active
    }

    // Source: swiftui/environmentvalues, swiftui/environmentvalues/scenephase
    @available(macOS 10.15, iOS 13.0, *)
    public struct EnvironmentValues {
        @available(macOS 11.0, iOS 14.0, *)
        public var scenePhase: ScenePhase { .active }
    }

    // Source: swiftui/environment, swiftui/environment/init(_:), swiftui/environment/wrappedvalue
    @available(macOS 10.15, iOS 13.0, *)
    @propertyWrapper public struct Environment<Value>: DynamicProperty {
        public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
        public var wrappedValue: Value { fatalError("it is a declaration") }
    }

    @available(macOS 10.15, iOS 13.0, *)
    extension View {
        // Source: swiftui/view/font(_:)
        public nonisolated func font(_ font: Font?) -> some View { self }

        // Source: swiftui/view/onchange(of:initial:_:)-8wgw9
        @available(macOS 14.0, iOS 17.0, *)
        public nonisolated func onChange<V: Equatable>(
            of value: V, initial: Bool = false, _ action: @escaping () -> Void
        ) -> some View { self }

        // Source: swiftui/view/navigationdestination(for:destination:)
        @available(macOS 13.0, iOS 16.0, *)
        public nonisolated func navigationDestination<D: Hashable, C: View>(
            for data: D.Type, @ViewBuilder destination: @escaping (D) -> C
        ) -> some View { self }

        #if os(iOS)
            // Source: swiftui/view/fileimporter(ispresented:allowedcontenttypes:oncompletion:)
            @available(iOS 14.0, *)
            public nonisolated func fileImporter(
                isPresented: Binding<Bool>, allowedContentTypes: [UTType],
                onCompletion: @escaping (_ result: Result<URL, any Error>) -> Void
            ) -> some View { self }
        #endif
    }
#endif
