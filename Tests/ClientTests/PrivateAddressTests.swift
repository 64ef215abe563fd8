import Foundation
import TestSupport
import Testing

/// A forward proxy that others may use leads nobody into this machine or its networks, unless it was told to.
@Suite(.fewAtOnce)
struct PrivateAddressTests {
    /// Ways to write hosts that mean this machine, or a network that isn't public; none of them asks anybody for a name.
    static let hosts = [
        "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f.1", "0x7f000001", "0177.0.0.1", "017700000001", "0",
        "0.0.0.0",
        "localhost", "LOCALHOST", "localhost.", "x.localhost", "x.y.localhost.", "127.255.255.254", "%31%32%37.0.0.1",
        "１２７.０.０.１", "ⓛocalhost", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "100.64.0.1",
        "169.254.169.254", "0xa9fea9fe", "2852039166", "224.0.0.1", "255.255.255.255", "198.18.0.1", "192.0.2.1",
        "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]", "[64:ff9b:1::8.8.8.8]", "[64:ff9b:1:7f00:0:100::]", "[2002:7f00:1::]", "[fe80::1]",
        "[fc00::1]", "[fd00:ec2::254]", "[ff02::1]",
        "[2001:db8::1]",
    ]

    @Test func `no spelling of a private address reaches it, by GET or by CONNECT`() async throws {
        try await PythonOrigin.run { origin in
            // Every port is allowed, so that it is the address that is refused.
            try await Served.run(["--forward-proxy", "--allow-port", "1-65535"], in: Scratch()) { served in
                for host in Self.hosts {
                    let get = try await Raw.exchange(
                        served.port,
                        "GET http://\(host):\(origin.port)/a HTTP/1.1\r\nHost: a.example\r\n\r\n"
                    )
                    let statuses = Raw.statuses(get)
                    #expect(statuses == [403] || statuses == [400], "\(host): \(get)")
                    let connect = try await Raw.exchange(
                        served.port,
                        "CONNECT \(host):\(origin.port) HTTP/1.1\r\nHost: a.example\r\n\r\nGET /a HTTP/1.1\r\n"
                            + "Host: a.example\r\n\r\n"
                    )
                    let tunnels = Raw.statuses(connect)
                    #expect(tunnels == [403] || tunnels == [400], "\(host): \(connect)")
                    let upgrade = try await Raw.exchange(
                        served.port,
                        "GET http://\(host):\(origin.port)/a HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade\r\n"
                            + "Upgrade: websocket\r\n\r\n"
                    )
                    let upgrades = Raw.statuses(upgrade)
                    #expect(upgrades == [403] || upgrades == [400], "\(host): \(upgrade)")
                }
                #expect(try origin.count == 0)
            }
        }
    }

    @Test func `a tunnel that this server terminates reaches no more hosts than others`() async throws {
        let scratch = try Scratch()
        let identity = try await Identity()
        let authority = try await Served.makeAuthority(scratch, hosts: "localhost", "127.0.0.1")
        try await PythonOrigin.run(identity) { origin in
            let options = [
                "--forward-proxy", "--ca", scratch.path("ca"), "--cacert", identity.certificate,
                "--allow-port", "\(origin.port)",
            ]
            try await Served.run(options, in: scratch) { served in
                for host in ["localhost", "127.0.0.1"] {
                    let url = "https://\(host):\(origin.port)/a"
                    let answer = try await curl("--proxy", served.base, "--cacert", authority, url)
                    #expect(answer.status == 403, "\(answer)")
                }
                #expect(try origin.count == 0)
            }
        }
    }

    @Test func `the proxy serves its own pages without asking itself`() async throws {
        try await Served.proxy { served in
            let own = try await curl("--proxy", served.base, "http://localhost:\(served.port)/.afcache/healthz")
            #expect(own.text == "ok\n" || own.text == "ok", "\(own)")
            // By a name that the server doesn't know for its own: once round, and no further.
            let circle = try await curl("--proxy", served.base, "http://x.localhost:\(served.port)/")
            #expect([504, 502, 508, 403].contains(circle.status), "\(circle)")
        }
    }
}
