/// Creates a self-signed certificate and its key for the servers at an address.
func makeCertificate(_ certificate: String, key: String, for address: String) throws {
    _ = try ChildRun(
        arguments: [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-subj", "/CN=\(address)", "-addext", "subjectAltName=IP:\(address)", "-keyout", key,
            "-out", certificate, "-batch",
        ]
    ).measure()
}
