import Foundation

/// Runs, and checks whether the expected file has all its bytes.
func checked(_ path: String, bytes: Int, _ run: () throws -> Sample) throws -> Sample {
    let sample = try run()
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    guard size == bytes else { throw BenchFailure("\(path) has \(size ?? 0) bytes instead of \(bytes)") }
    return sample
}

/// Runs, and checks whether a directory has the expected number of files.
func checked(_ directory: String, files: Int, _ run: () throws -> Sample) throws -> Sample {
    let sample = try run()
    let found = try FileManager.default.contentsOfDirectory(atPath: directory).count
    guard found == files else { throw BenchFailure("\(found) files arrived instead of \(files)") }
    return sample
}
