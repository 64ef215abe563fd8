import Foundation
import TestSupport
import Testing

/// Python's requests and http.client, online and offline; `Programs/requests_client.py` has the checks.
@Suite(.fewAtOnce)
struct PythonRequestsTests {
    @Test func `requests works online, through the proxy and its authority, and http.client with the gateway`()
        async throws
    {
        let scratch = try Scratch()
        let identity = try await Identity()
        let authority = try await Served.makeAuthority(scratch, hosts: "localhost")
        try await PythonOrigin.run { origin in
            try await PythonOrigin.run(identity) { secure in
                let options = [
                    "--forward-proxy", "--allow-private", "--ca", scratch.path("ca"), "--cacert",
                    identity.certificate,
                ]
                try await Served.run(options, in: scratch) { proxy in
                    try await Served.gateway(origin) { gateway in
                        let result = try await Programs.python(
                            "requests_client.py",
                            "online",
                            proxy.base,
                            gateway.base,
                            "http://\(origin.authority)",
                            "https://localhost:\(secure.port)",
                            authority
                        )
                        #expect(result.status == 0, "\(result.errors)")
                        #expect(try secure.count == 1)
                    }
                }
            }
        }
    }

    @Test func `requests works offline, with the authority`() async throws {
        let scratch = try Scratch()
        let authority = try await Served.makeAuthority(scratch, hosts: "docs.example")
        try scratch.write(Array("page".utf8), to: "in/index.html")
        try await Served.load(scratch, baseURL: "https://docs.example")
        try await Served.run(["--ca", scratch.path("ca")], in: scratch) { served in
            let result = try await Programs.python("requests_client.py", "offline", served.base, authority)
            #expect(result.status == 0, "\(result.errors)")
        }
    }
}
