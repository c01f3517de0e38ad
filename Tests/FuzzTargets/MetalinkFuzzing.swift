import LonghaulCore
import LonghaulMetalink

/// Documents from any author.
enum MetalinkFuzzing {
    static func run(_ bytes: [UInt8]) {
        // An error in the document is reported, and is not a finding.
        guard let metalink = try? Metalink(parsing: bytes) else { return }
        for file in metalink.files {
            precondition(!file.name.isEmpty && !file.name.contains("/") && !file.urls.isEmpty)
            precondition(file.directories.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") && !$0.contains("/") })
            guard let pieces = file.pieces, let size = file.size else { continue }
            precondition(pieces.fit(size) && pieces.range(of: pieces.count - 1, in: size).upperBound == size)
        }
    }

    static let examples = [
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <metalink xmlns="urn:ietf:params:xml:ns:metalink">
          <file name="a/b.iso">
            <size>700</size>
            <hash type="sha-256">f0ad929cd259957e160ea442eb80986b5f0ad929cd259957e160ea442eb80986</hash>
            <pieces length="512" type="md5">
              <hash>0123456789abcdef0123456789abcdef</hash>
              <hash>0123456789abcdef0123456789abcdef</hash>
            </pieces>
            <url location="de" priority="2">ftp://ftp.example.com/example.ext</url>
            <url priority="1">http://example.com/example.ext</url>
          </file>
        </metalink>
        """,
        """
        <metalink version="3.0" xmlns="http://www.metalinker.org/">
          <files><file name="example.ext"><size>5</size>
            <verification><hash type="md5">0123456789abcdef0123456789abcdef</hash>
              <pieces length="5" type="sha1"><hash piece="0">0123456789abcdef0123456789abcdef01234567</hash></pieces>
            </verification>
            <resources><url type="http" preference="90">http://example.com/example.ext</url></resources>
          </file></files>
        </metalink>
        """,
        "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><metalink>&b;</metalink>",
        "<metalink><file name=\"../../etc/passwd\"><url>https://x.example/</url></file></metalink>",
    ]
}
