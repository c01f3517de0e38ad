import FuzzTargets
import Glibc

// What libFuzzer calls. `scripts/fuzz` compiles this file with the targets, and names the target in the environment.

private let target: FuzzTarget = {
    guard let name = getenv("LONGHAUL_FUZZ_TARGET"), let target = FuzzTarget(rawValue: String(cString: name)) else {
        fputs("LONGHAUL_FUZZ_TARGET names none of \(FuzzTarget.allCases.map(\.rawValue))\n", stderr)
        exit(64)
    }
    return target
}()

/// Runs the target with one input.
@_cdecl("LLVMFuzzerTestOneInput") public func runOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    target.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// Every second time, the input keeps its structure, and one of its numbers becomes a limit of its range.
@_cdecl("LLVMFuzzerCustomMutator") public func mutate(
    _ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ room: Int, _ seed: UInt32
) -> Int {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let random = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15
    guard seed & 1 == 0, let mutated = target.mutated(bytes, random: random), mutated.count <= room else {
        return mutateAnywhere(start, count, room)
    }
    for (index, byte) in mutated.enumerated() { start[index] = byte }
    return mutated.count
}

// libFuzzer's own mutations; a C function of three words, which both calling conventions pass alike.
@_silgen_name("LLVMFuzzerMutate")
private func mutateAnywhere(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ room: Int) -> Int

/// Instead of fuzzing, writes the target's examples into a directory that the environment names.
@_cdecl("LLVMFuzzerInitialize") public func initialize(
    _ count: UnsafeMutablePointer<CInt>, _ words: UnsafeMutableRawPointer
) -> CInt {
    guard let directory = getenv("LONGHAUL_FUZZ_EXAMPLES").map({ String(cString: $0) }) else { return 0 }
    for (number, example) in target.examples.enumerated() {
        guard let file = fopen("\(directory)/example-\(number)", "wb") else { exit(74) }
        fwrite(example, 1, example.count, file)
        fclose(file)
    }
    exit(0)
}
