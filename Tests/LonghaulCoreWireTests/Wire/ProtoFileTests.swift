import LonghaulCore
import TestSupport
import Testing

/// `docs/internals/longhaul.proto` describes every message, as protobuf's own compiler understands it.
@Suite struct ProtoFileTests {
    private static let documents: String = {
        let parts = #filePath.split(separator: "/").dropLast(4)
        return "/" + parts.joined(separator: "/") + "/docs/internals"
    }()

    private static func protoc(_ arguments: [String], input: [UInt8] = []) throws -> ProgramCall.Result {
        var call = ProgramCall("/usr/bin/protoc", ["--proto_path=" + documents] + arguments)
        call.input = input
        return try call.run()
    }

    @Test(arguments: ["longhaul.proto", "longhaul-ipc.proto"]) func theDescriptionIsValid(_ name: String) throws {
        let result = try Self.protoc(["--descriptor_set_out=/dev/null", name])
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
        #expect(result.errorOutput.isEmpty)
    }

    /// A field that is missing in the description, or has another type there, is printed with its number only.
    @Test(arguments: everyMessage.indices) func everyFieldThatIsWrittenIsDescribed(_ index: Int) throws {
        let type = everyMessage[index]
        let bytes = (0..<20).flatMap { encoded(type, .full, seed: $0) }
        let name = describedName(type)
        let result = try Self.protoc(["--decode=longhaul." + name, "longhaul.proto"], input: bytes)
        #expect(result.ending == .exited(0), "\(name): \(result.errorOutput)")
        let unknown = result.output.split(separator: "\n").filter { $0.drop { $0 == " " }.first?.isNumber == true }
        #expect(unknown.isEmpty, "\(name)")
        #expect(bytes.isEmpty || !result.output.isEmpty, "\(name)")
    }

    private func describedName(_ type: any Drawable.Type) -> String { "\(type)" }
}
