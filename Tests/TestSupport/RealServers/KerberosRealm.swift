import Glibc
import LonghaulCore

/// A real Kerberos realm for user ada with password s3cret, and the service `HTTP/localhost`.
package final class KerberosRealm: Sendable {
    /// Why it cannot be used here; `nil` if it can.
    package static var missing: String? {
        Tools.missing("krb5-kdc", kdc) ?? Tools.missing("krb5-admin-server", admin)
            ?? Tools.missing("krb5-user", kinit)
            ?? Tools.missing(
                "libapache2-mod-auth-gssapi", "/usr/lib/apache2/modules/mod_auth_gssapi.so", isProgram: false)
    }

    private static let kdc = "/usr/sbin/krb5kdc"
    private static let admin = "/usr/sbin/kadmin.local"
    private static let kinit = "/usr/bin/kinit"

    private let directory: TemporaryDirectory
    private let process: ServerProcess

    package init() throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        self.directory = directory
        try Self.configure(directory, port: 88)
        let script = """
            set -e
            /usr/sbin/kdb5_util create -s -P master
            kadmin.local -q 'addprinc -pw s3cret ada'
            kadmin.local -q 'addprinc -randkey HTTP/localhost'
            kadmin.local -q "ktadd -k $1 HTTP/localhost"
            chmod 644 "$1"
            """
        var call = ProgramCall("/bin/sh", ["-c", script, "sh", directory.path("keytab")])
        call.environment.merge(Self.environment(directory)) { $1 }
        call.environment["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
        let made = try call.run()
        guard made.ending == .exited(0) else {
            throw TransferFailure(.serviceUnavailable, "no realm was made: \(made.output + made.errorOutput)")
        }
        process = try ServerProcess.start(isReady: { LoopbackAddress.accepts(port: $0) }) { port in
            try Self.configure(directory, port: port)
            var call = ProgramCall(Self.kdc, ["-n"])
            call.environment.merge(Self.environment(directory)) { $1 }
            return call
        }
    }

    deinit { process.kill() }

    /// The keys of the service.
    var keytab: String { directory.path("keytab") }

    /// The environment of servers.
    var environment: [String: String] { Self.environment(directory) }

    /// The environment of a client with this ticket cache.
    package func environment(cache: String) -> [String: String] {
        environment.merging(["KRB5CCNAME": "FILE:" + cache]) { $1 }
    }

    /// Gets a ticket for ada.
    package func getTicket(cache: String) throws {
        var call = ProgramCall("/bin/sh", ["-c", "echo s3cret | \(Self.kinit) ada"])
        call.environment.merge(environment(cache: cache)) { $1 }
        let result = try call.run()
        guard result.ending == .exited(0) else {
            throw TransferFailure(.serviceUnavailable, "no ticket: \(result.errorOutput)")
        }
    }

    private static func environment(_ directory: TemporaryDirectory) -> [String: String] {
        [
            "KRB5_CONFIG": directory.path("krb5.conf"), "KRB5_KDC_PROFILE": directory.path("kdc.conf"),
            // A replay cache would be shared with other tests.
            "KRB5RCACHENAME": "none:",
        ]
    }

    private static func configure(_ directory: TemporaryDirectory, port: Int) throws {
        let client = """
            [libdefaults]
                default_realm = LONGHAUL.TEST
                dns_lookup_kdc = false
                dns_canonicalize_hostname = false
                rdns = false
                udp_preference_limit = 1
            [realms]
                LONGHAUL.TEST = {
                    kdc = 127.0.0.1:\(port)
                }
            [domain_realm]
                localhost = LONGHAUL.TEST

            """
        let server = """
            [kdcdefaults]
                kdc_listen = ""
                kdc_tcp_listen = 127.0.0.1:\(port)
            [realms]
                LONGHAUL.TEST = {
                    database_name = \(directory.path("principals"))
                    key_stash_file = \(directory.path("stash"))
                    acl_file = \(directory.path("acl"))
                }

            """
        try directory.write(client.utf8, to: "krb5.conf")
        try directory.write(server.utf8, to: "kdc.conf")
        chmod(directory.path("krb5.conf"), 0o644)
    }
}

/// A real Apache httpd that accepts the tickets of a realm at `/`, except `/ready`.
package final class KerberosServer: Sendable {
    private let instance: ApacheInstance
    private let realm: KerberosRealm

    package init(_ realm: KerberosRealm) throws {
        self.realm = realm
        let keytab = realm.keytab
        instance = try ApacheInstance(
            ApacheInstance.Setup(
                folders: ["a"],
                modules: [
                    "mpm_event", "authz_core", "authn_core", "authz_user", "auth_gssapi", "mime", "dav", "dav_fs",
                ],
                environment: realm.environment,
                lines: { _ in
                    """
                    <Location /a/>
                        AuthType GSSAPI
                        AuthName tickets
                        GssapiCredStore keytab:\(keytab)
                        Require valid-user
                    </Location>

                    """
                }))
        try instance.directory.write("by ticket".utf8, to: "www/a/f")
        chmod(instance.directory.path("www/a/f"), 0o644)
    }

    deinit { instance.process.kill() }

    /// The URL of a file with the text `by ticket`. The ticket is for the name of the host.
    package var url: String { instance.url("/a/f").replacing("127.0.0.1", with: "localhost") }
}
