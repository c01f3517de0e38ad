import Testing

@testable import LonghaulCore

/// Valid and invalid `Alt-Svc` headers.
@Suite struct HTTP3AnnouncementTests {
    private func read(_ fields: String..., age: Int64 = 0) -> HTTP3Announcement? {
        HTTP3Announcement(fields: fields, age: age, host: "example.org", port: 443)
    }

    @Test(arguments: [
        #"h3=":443"; ma=60"#, #"h3="example.org:443"; ma=60"#, #"h3="EXAMPLE.org:443";ma="60""#,
        #"h3-29=":443"; ma=9, h3=":443" ; persist=1 ; MA=60, h2=":443""#, #", ,h3=":443"; ma=60,"#,
        #"h3=":8443"; ma=9, h3=":443"; ma=60, h3=":443"; ma=70"#,
    ])
    func http3AtTheSamePlaceIsAnnounced(_ field: String) {
        #expect(read(field) == .announced(seconds: 60))
        #expect(read(#"h2=":443""#, field) == .announced(seconds: 60))
    }

    @Test func announcementLastsOneDayByDefault() {
        #expect(read(#"h3=":443""#) == .announced(seconds: 86_400))
        #expect(read(#"h3=":443"; ma=none"#) == .announced(seconds: 86_400))
    }

    @Test func noTimeIsTooLongAndACachesTimeCounts() {
        #expect(read(#"h3=":443"; ma=9223372036854775807"#) == .announced(seconds: HTTP3Announcement.longest))
        #expect(read(#"h3=":443"; ma=60"#, age: 20) == .announced(seconds: 40))
        #expect(read(#"h3=":443"; ma=60"#, age: .max) == .withdrawn)
        #expect(read(#"h3=":443"; ma=60"#, age: .min) == .announced(seconds: 60))
        #expect(read(#"h3=":443"; ma=0"#) == .withdrawn)
    }

    @Test(arguments: [
        "clear", #"h2=":443""#, #"h3=":8443""#, #"h3="other.example:443""#, #"h3="443""#, #"h3-29=":443""#, "",
        #"h3=":99999999999999999999""#,
    ])
    func otherAlternativesWithdrawAnnouncement(_ field: String) {
        #expect(read(field) == .withdrawn)
    }

    @Test(arguments: [
        "h3", "h3=", "h3=:443", #"h3=":443"#, #"h3=":443"; ma"#, #"h3=":443"; =1"#, #"h3=":443" h2=":443""#, "clear=",
        #"h3=":443"; ma=60; "#, "\u{1}",
    ])
    func malformedFieldIsIgnored(_ field: String) {
        #expect(read(field) == nil)
        #expect(HTTP3Announcement(fields: [], host: "example.org", port: 443) == nil)
    }

    @Test func anIPv6AddressStandsInItsBrackets() {
        let announcement = HTTP3Announcement(fields: [#"h3="[::1]:8443""#], host: "[::1]", port: 8_443)
        #expect(announcement == .announced(seconds: 86_400))
    }
}
