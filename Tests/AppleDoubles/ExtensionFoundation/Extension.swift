// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.

// Source: extensionfoundation/appextensionconfiguration
@available(macOS 13.0, iOS 26.0, *)
public protocol AppExtensionConfiguration {}

// Source: extensionfoundation/appextension, extensionfoundation/appextension/configuration-swift.property
// Source: extensionfoundation/appextension/init()
@available(macOS 13.0, iOS 26.0, *)
public protocol AppExtension {
    associatedtype Configuration: AppExtensionConfiguration
    var configuration: Self.Configuration { get }
    init()
}

@available(macOS 13.0, iOS 26.0, *)
extension AppExtension {
    // Source: extensionfoundation/appextension/main()
    public static func main() throws { fatalError("only declared") }
}
