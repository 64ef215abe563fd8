import AFCDelivery
import AFCText
import AFCURL
import Testing

@testable import AFCProvisioning

/// Servers that let time limits pass.
struct StalledServersTests {
    private func ask(_ servers: StalledServers, _ url: String, _ code: DeliveryErrorCode?) async throws -> Bool {
        let url = try WebURL(url)
        var isAsked = false
        do {
            try await servers.avoiding(url) {
                isAsked = true
                if let code { throw DeliveryError(code, url, "the server sent no response") }
            }
        } catch let error as DeliveryError {
            #expect(error.code == (isAsked ? code : .timeout))
        }
        return isAsked
    }

    @Test func `a server that stalled isn't asked again in a run, and others are`() async throws {
        let servers = StalledServers()
        #expect(try await ask(servers, "https://a.example/1.zip", .connection))
        #expect(try await ask(servers, "https://a.example/1.zip", .timeout))
        #expect(try await !ask(servers, "https://a.example/2.zip", nil))
        #expect(try await ask(servers, "https://b.example/2.zip", nil))
        #expect(try await ask(StalledServers(), "https://a.example/2.zip", nil))
    }
}
