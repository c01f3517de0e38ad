extension SourceFile: WireRecord {
    package static var blank: Self {
        Self(path: "", pin: .blank, isStaged: false)
    }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&path, 1, isPath: true)
        try wire.required(&pin, 2)
        try wire.flag(&isStaged, 3)
        try wire.message(&origin, 4)
        try wire.text(&mountPoint, 5, isPath: true)
    }
}

extension SourceOrigin: WireRecord {
    package static var blank: Self { Self(path: "", modified: 0) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&path, 1, isPath: true)
        try wire.signed(&modified, 2)
    }
}

extension SourcePin: WireRecord {
    package static var blank: Self { Self(size: 0, modified: 0, inode: 0, device: 0) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.length(&size, 1)
        try wire.signed(&modified, 2)
        try wire.unsigned(&inode, 3)
        try wire.unsigned(&device, 4)
    }
}

extension Digest: WireRecord {
    package static var blank: Self { Self(algorithm: .md5, bytes: []) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.choice(&algorithm, 1)
        try wire.data(&bytes, 2)
    }
}
