import AFCOrigin
import NIOCore
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

struct ConnectionTroubleTests {
    @Test(arguments: [
        (ECONNREFUSED, ConnectionTrouble.refused), (ECONNRESET, .reset), (EPIPE, .reset), (ETIMEDOUT, .unconnected),
        (ENETUNREACH, .unreachable), (EHOSTUNREACH, .unreachable),
    ])
    func `the system's errors are reported without the call that failed`(number: CInt, expected: ConnectionTrouble) {
        let trouble = ConnectionTrouble(IOError(errnoCode: number, reason: "read(descriptor:pointer:size:)"))
        #expect(trouble == expected)
        #expect(!trouble.words.contains("("))
    }

    @Test func `another error of the system is reported in its words`() {
        let trouble = ConnectionTrouble(IOError(errnoCode: ENOBUFS, reason: "socket(domain:type:protocol:)"))
        #expect(trouble.words == "no buffer space available")
    }
}
