extension UploadFacts: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&uploadURL, 1)
        try wire.length(&acknowledged, 2)
        try wire.length(&sentHighWater, 3)
        try wire.count(&stalls, 4)
        try wire.time(&expires, 5)
        try wire.message(&tus, 6)
        try wire.flag(&allBytesSent, 7)
        try wire.length(&refusedAt, 8)
    }
}

extension TusCapabilities: WireRecord {
    package static var blank: Self { Self(extensions: [], maxSize: nil, creationURL: "") }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.texts(&extensions, 1)
        try wire.length(&maxSize, 2)
        try wire.text(&creationURL, 3)
    }
}
