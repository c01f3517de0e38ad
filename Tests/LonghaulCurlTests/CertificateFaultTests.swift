import Testing

@testable import LonghaulCurl

/// The numbers of both libraries that libcurl may have, for the same faults.
@Suite struct CertificateFaultTests {
    @Test(arguments: [
        (0, 0, CertificateFault.otherName), (9, 1 << 9 | 2, .notYetValid), (10, 1 << 10 | 2, .expired),
        (20, 1 << 6 | 2, .unknownIssuer), (21, 1 << 6 | 1 << 10 | 2, .unknownIssuer), (23, 1 << 5 | 2, .revoked),
    ])
    func bothLibrariesAreUnderstood(openSSL: Int, gnuTLS: Int, fault: CertificateFault) {
        #expect(CertificateFault(openSSL: openSSL) == fault && CertificateFault(gnuTLS: gnuTLS) == fault)
    }

    @Test func unknownFaultIsReportedByNumber() {
        for fault in [CertificateFault(openSSL: 66), CertificateFault(gnuTLS: 66 & ~64)] {
            #expect(fault.sentence(about: "h").contains("TLS library error"))
        }
        #expect(CertificateFault(openSSL: 18) == .selfSigned)
    }
}
