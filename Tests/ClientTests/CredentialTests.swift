import Foundation
import TestSupport
import Testing

/// Credentials: what came for somebody's is for nobody else (RFC 9111 §3.5), and they go where they were meant to go.
@Suite(.fewAtOnce)
struct CredentialTests {
    /// A Cache-Control, and whether an answer to a request with Authorization may be stored with it.
    @Test(arguments: [
        ("max-age=600", false), ("max-age=600,private", false), ("no-store", false), ("max-age=600,public", true),
        ("s-maxage=600", true), ("max-age=600,must-revalidate", true), ("max-age=600,proxy-revalidate", false),
    ])
    func `a response to credentials is stored only if its origin allows sharing it`(
        control: String,
        isShared: Bool
    ) async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin) { served in
                let url = served.base + "/a?Cache-Control=\(control)&mirror=authorization"
                let mine = try await curl("-H", "Authorization: Basic bWluZQ==", url)
                #expect(mine.text == "Basic bWluZQ==")
                let other = try await curl(url)
                #expect(other.isHit == isShared, "\(other.cache)")
                #expect(other.text == (isShared ? "Basic bWluZQ==" : "none"))
                #expect(try origin.count == (isShared ? 1 : 2))
            }
        }
    }

    @Test(arguments: [
        ("max-age=600,private", false), ("max-age=600,no-cache=Set-Cookie", true),
        ("max-age=600,private=Set-Cookie", true),
    ])
    func `a response that sets a cookie is shared, without it, only if the origin allows it`(
        control: String,
        isShared: Bool
    ) async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin) { served in
                let url = served.base + "/a?Cache-Control=\(control)&ETag=%221%22&Set-Cookie=id%3Dmine"
                #expect(try await curl("-H", "Cookie: a=b", url)["Set-Cookie"] == "id=mine")
                let other = try await curl("-H", "Cookie: c=d", url)
                if isShared {
                    #expect(other.isHit || other.cache.contains("fwd-status=304"), "\(other.cache)")
                    if other.isHit { #expect(other["Set-Cookie"] == nil, "\(other)") }
                } else {
                    #expect(!other.isHit)
                }
            }
        }
    }

    @Test func `a shared answer that sets a cookie gives no client another's session`() async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin) { served in
                // Nothing says that it is for one client alone, and nothing that it is for all.
                let url = served.base + "/a?Last-Modified=Sat,%2001%20Jan%202000%2000:00:00%20GMT&Set-Cookie=id%3Dmine"
                #expect(try await curl(url)["Set-Cookie"] == "id=mine")
                let other = try await curl(url)
                #expect(!(other.isHit && other["Set-Cookie"] != nil), "\(other)")
            }
        }
    }

    @Test func `a client's credentials reach only the origin that they were sent to`() async throws {
        try await PythonOrigin.run { first in
            try await PythonOrigin.run { second in
                try await Served.proxy { served in
                    let location = "http://\(second.authority)/b"
                    let url = "http://\(first.authority)/a?status=302&Location=\(location)"
                    let answer = try await curl(
                        "--proxy",
                        served.base,
                        "-H",
                        "Authorization: Basic bWluZQ==",
                        "-H",
                        "Cookie: id=mine",
                        url
                    )
                    #expect(answer.status == 302, "the proxy follows no redirect")
                    #expect(try first.requests.last?.values("Authorization") == ["Basic bWluZQ=="])
                    #expect(try second.count == 0)
                    #expect(try await curl("--proxy", served.base, location).status == 200)
                    #expect(try second.requests.last?.values("Authorization") == [])
                    #expect(try second.requests.last?.values("Cookie") == [])
                }
            }
        }
    }

    @Test func `a background request carries no client's credentials`() async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin) { served in
                let url = served.base + "/a?Cache-Control=max-age=0,stale-while-revalidate=600,public&ETag=%221%22"
                _ = try await curl("-H", "Authorization: Basic bWluZQ==", url)
                _ = try await curl(url)
                try await waitUntil("the origin is asked behind the answer") { try origin.count == 2 }
                #expect(try origin.requests.last?.values("Authorization") == [])
            }
        }
    }

    @Test func `a proxy keeps its own credentials, and those in URLs, to itself`() async throws {
        try await PythonOrigin.run { origin in
            try await Served.proxy { served in
                let answer = try await curl(
                    "--proxy",
                    served.base,
                    "--proxy-user",
                    "me:secret",
                    "http://\(origin.authority)/a"
                )
                #expect(answer.status == 200)
                #expect(try origin.requests.last?.values("Proxy-Authorization") == [])
                let raw = try await Raw.exchange(
                    served.port,
                    "GET http://me:secret@\(origin.authority)/a HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n"
                )
                #expect(!Raw.statuses(raw).isEmpty)
                for request in try origin.requests { #expect(!request.head.contains("secret"), "\(request.head)") }
            }
        }
    }
}
