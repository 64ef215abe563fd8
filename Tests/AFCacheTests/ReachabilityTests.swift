import Foundation
import Testing

@testable import AFCache

#if !canImport(Network)
/// The state of the network that Linux's routing tables mean.
@Suite struct ReachabilityTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var first: [String]?
        var second: [String]?
        var state: AFCache.Reachability
    }

    private static let head = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT"
    private static let nowhere = String(repeating: "0", count: 32)

    /// A line of `/proc/net/route`; the flags are those of Linux's `route.h`: 1 up, 2 gateway, 0x200 reject.
    private static func four(_ interface: String, _ flags: String, to destination: String = "00000000") -> String {
        "\(interface)\t\(destination)\t0100A8C0\t\(flags)\t0\t0\t0\t00000000\t0\t0\t0"
    }

    /// A line of `/proc/net/ipv6_route`.
    private static func six(_ interface: String, _ flags: String, to destination: String = nowhere) -> String {
        "\(destination) 00 \(nowhere) 00 \(nowhere) 00000400 00000001 00000000 \(flags) \(interface)"
    }

    private static let linkLocal = "fe80" + String(repeating: "0", count: 28)
    private static let multicast = "ff00" + String(repeating: "0", count: 28)

    private static let cases: [Case] = [
        Case(testDescription: "no table", first: nil, second: nil, state: .unknown),
        Case(testDescription: "empty tables", first: [], second: [], state: .unreachable),
        Case(testDescription: "only the heading", first: [head], second: nil, state: .unreachable),
        Case(testDescription: "a gateway", first: [head, four("eth0", "0003")], second: nil, state: .reachable),
        Case(
            testDescription: "a network without a gateway",
            first: [head, four("wlan0", "0001", to: "0000A8C0")],
            second: [],
            state: .reachable
        ),
        Case(testDescription: "loopback", first: [head, four("lo", "0001")], second: nil, state: .unreachable),
        Case(
            testDescription: "a route that is down",
            first: [head, four("eth0", "0002")],
            second: nil,
            state: .unreachable
        ),
        Case(
            testDescription: "a route that rejects",
            first: [head, four("eth0", "0201")],
            second: nil,
            state: .unreachable
        ),
        Case(
            testDescription: "flags that are no number",
            first: [head, four("eth0", "up")],
            second: nil,
            state: .unreachable
        ),
        Case(
            testDescription: "a line that is cut off",
            first: [head, "eth0\t00000000"],
            second: nil,
            state: .unreachable
        ),
        Case(
            testDescription: "the second route counts",
            first: [head, four("lo", "0001"), four("eth0", "0003")],
            second: nil,
            state: .reachable
        ),
        Case(
            testDescription: "a gateway for IPv6 only",
            first: nil,
            second: [six("eth0", "00000003")],
            state: .reachable
        ),
        Case(
            testDescription: "loopback for IPv6, which rejects",
            first: nil,
            second: [six("lo", "00200200"), six("lo", "80200001")],
            state: .unreachable
        ),
        Case(
            testDescription: "a link-local address",
            first: [head],
            second: [six("eth0", "00000001", to: linkLocal)],
            state: .unreachable
        ),
        Case(
            testDescription: "multicast",
            first: [head],
            second: [six("eth0", "00000001", to: multicast)],
            state: .unreachable
        ),
        Case(
            testDescription: "IPv4 without a route, and IPv6 with one",
            first: [head, four("lo", "0001")],
            second: [six("lo", "80200001"), six("eth0", "00450003")],
            state: .reachable
        ),
        Case(
            testDescription: "an IPv6 line that is cut off",
            first: nil,
            second: ["\(nowhere) 00 \(nowhere) 00"],
            state: .unreachable
        ),
    ]

    @Test(arguments: cases) func `the routing tables tell if there is a way to other networks`(_ example: Case) {
        func table(_ lines: [String]?) -> Data? { lines.map { Data($0.map { $0 + "\n" }.joined().utf8) } }
        let state = AFCache.Reachability.ofRoutes(IPv4: table(example.first), IPv6: table(example.second))
        #expect(state == example.state)
    }
}
#endif
