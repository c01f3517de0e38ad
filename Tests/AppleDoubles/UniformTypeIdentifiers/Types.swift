// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.

// Source: uniformtypeidentifiers/uttype-swift.struct, uniformtypeidentifiers/uttype-swift.struct/image
// Source: uniformtypeidentifiers/uttype-swift.struct/audio
@available(macOS 11.0, iOS 14.0, *)
public struct UTType: Hashable, Sendable {
    public static var image: UTType { UTType() }
    #if DECLARATIONS
        public static var audio: UTType { UTType() }
    #endif
}
