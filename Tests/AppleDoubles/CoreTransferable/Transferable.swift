// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.
public import Foundation
public import UniformTypeIdentifiers

// Source: coretransferable/transferable, coretransferable/transferable/transferrepresentation
@available(macOS 13.0, iOS 16.0, *)
@preconcurrency public protocol Transferable: Sendable {
    associatedtype Representation: TransferRepresentation
    @TransferRepresentationBuilder<Self> static var transferRepresentation: Self.Representation { get }
}

// Source: coretransferable/transferrepresentation, coretransferable/transferrepresentation/body-swift.property
@available(macOS 13.0, iOS 16.0, *)
public protocol TransferRepresentation<Item>: Sendable {
    associatedtype Item: Transferable
    associatedtype Body: TransferRepresentation
    @TransferRepresentationBuilder<Self.Item> var body: Self.Body { get }
}

@available(macOS 13.0, iOS 16.0, *)
extension Never: Transferable, TransferRepresentation {
    // Source: swift/never
    public typealias Item = Never
    public static var transferRepresentation: Never { fatalError("it has no body") }
    public var body: Never { fatalError("it has no body") }
}

// Source: coretransferable/transferrepresentationbuilder, coretransferable/transferrepresentationbuilder/buildblock(_:)
// Source: coretransferable/transferrepresentationbuilder/buildexpression(_:)-3z8sl
@available(macOS 13.0, iOS 16.0, *)
@resultBuilder public struct TransferRepresentationBuilder<Item: Transferable> {
    public static func buildExpression<R: TransferRepresentation<Item>>(_ expression: R) -> R { expression }
    public static func buildBlock<Content: TransferRepresentation<Item>>(_ content: Content) -> Content { content }
}

// Source: coretransferable/filerepresentation
// Source: coretransferable/filerepresentation/init(importedcontenttype:shouldattempttoopeninplace:importing:)
@available(macOS 13.0, iOS 16.0, *)
public struct FileRepresentation<Item: Transferable>: TransferRepresentation {
    let importing: @Sendable (ReceivedTransferredFile) async throws -> Item
    public init(
        importedContentType: UTType, shouldAttemptToOpenInPlace: Bool = false,
        importing: @escaping @Sendable (ReceivedTransferredFile) async throws -> Item
    ) { self.importing = importing }
    // `return`, because it keeps the protocol's builder from applying.
    public var body: Never { return fatalError("it has no body") }
}

// Source: coretransferable/receivedtransferredfile, coretransferable/receivedtransferredfile/file
@available(macOS 13.0, iOS 16.0, *)
public struct ReceivedTransferredFile: Sendable {
    public let file: URL
}

// Source: foundation/data, coretransferable/transferable
@available(macOS 13.0, iOS 16.0, *)
extension Data: Transferable {
    public static var transferRepresentation: some TransferRepresentation {
        FileRepresentation(importedContentType: .image) { received in try Data(contentsOf: received.file) }
    }
}

@available(macOS 13.0, iOS 16.0, *)
extension Transferable {
    /// Double only: imports a file; `nil` if the type cannot import one.
    public static func load(from file: URL) async throws -> Self? {
        guard let representation = transferRepresentation as? FileRepresentation<Self> else { return nil }
        return try await representation.importing(ReceivedTransferredFile(file: file))
    }
}
