import AFCCache
import AFCCaching
import AFCHTTP
import AFCURL
import HTTPTypes

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Keeps received responses until it is killed, or the process that started it ends, for tests that look at what it leaves.
///
///     receivingwriter hold STORE      gets the right to add, and waits
///     receivingwriter half STORE      writes half of a large body, and waits
///     receivingwriter stream STORE    keeps small and large responses, round and round
///     receivingwriter many STORE      keeps 1,200 responses of 14 kB, and ends
///     receivingwriter crowd STORE     keeps more responses of 1 MB than a small disk holds, and ends
///     receivingwriter throng STORE    keeps more responses of 14 kB than a small disk holds, and ends
///     receivingwriter mount STORE PACKAGE URL     mounts a package, prints the body of a URL, and ends
///     receivingwriter full STORE      keeps responses while no file may grow, then again when they may, and ends
@main
enum ReceivingWriter {
    static let now = Timestamp(secondsSinceEpoch: 1_700_000_000)

    static func main() throws {
        if CommandLine.arguments.count == 5 { return try mount() }
        guard CommandLine.arguments.count == 3 else { return }
        let parent = getppid()
        let store = try DiskCache(path: CommandLine.arguments[2], access: .readWrite)
        try store.startReceiving()
        switch CommandLine.arguments[1] {
        case "half":
            let body = try begin(store, 0)
            try [UInt8](repeating: 1, count: 500_000).withUnsafeBytes { try body.write($0) }
            say("ready")
            outlive(parent)
        case "stream":
            for round in 0... {
                guard getppid() == parent else { return }
                for number in 0..<300 { try keep(store, number, round) }
                guard round == 0 else { continue }
                try store.flushReceived()
                say("ready")
            }
        case "many": try crowd(store, count: 1200, size: 14_000)
        case "crowd": try crowd(store, count: 12, size: 1 << 20)
        case "throng": try crowd(store, count: 700, size: 14_000)
        case "full": try fill(store)
        default:
            say("ready")
            outlive(parent)
        }
    }

    private static func mount() throws {
        let store = try DiskCache(path: CommandLine.arguments[2], access: .readWrite)
        _ = try store.mount(CommandLine.arguments[3], name: "mounted", now: now)
        let request = OfflineRequest(url: try WebURL(CommandLine.arguments[4]))
        let answer = try store.respond(to: request, now: now, policy: OfflinePolicy(expired: .always))
        say(String(decoding: try answer.body?.contents(upTo: 1 << 20) ?? [], as: UTF8.self))
        try store.close()
    }

    /// Returns when the test's process has ended without ending this one, of which no event tells.
    private static func outlive(_ parent: pid_t) { while getppid() == parent { sleep(1) } }

    /// The bytes tell the number and the round, so that mixed ones would show.
    private static func keep(_ store: DiskCache, _ number: Int, _ round: Int) throws {
        let body = try begin(store, number)
        let size = number % 10 == 0 ? 40_000 : 500
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 % 2 == 0 ? number : round) }
        try bytes.withUnsafeBytes { try body.write($0) }
        _ = try body.finish()
    }

    private static func crowd(_ store: DiskCache, count: Int, size: Int) throws {
        var failures = 0
        for number in 0..<count {
            do {
                let body = try begin(store, number)
                let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3 &+ number) }
                for start in stride(from: 0, to: size, by: 65_536) {
                    try bytes[start..<min(size, start + 65_536)].withUnsafeBytes { try body.write($0) }
                }
                _ = try body.finish()
                if number % 10 == 9 || size > 65_536 { try store.flushReceived() }
            } catch {
                failures += 1
                let line = "\(number): \(error)\n"
                _ = line.withCString { write(2, $0, strlen($0)) }
            }
        }
        try store.flushReceived()
        let kept = try (0..<count).filter { try !store.candidates(for: try WebURL("http://r.example/\($0)")).isEmpty }
        try store.close()
        say("\(failures) failed, \(kept.count) kept, the last is \(kept.last ?? -1)")
    }

    private static func fill(_ store: DiskCache) throws {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        // RLIMIT_FSIZE, which C libraries give different types.
        getrlimit(1, &limit)
        let before = limit.rlim_cur
        limit.rlim_cur = 300_000
        setrlimit(1, &limit)
        var failures = 0
        for number in 0..<2000 {
            do {
                try keep(store, number, 1)
                if number % 100 == 99 { try store.flushReceived() }
            } catch {
                failures += 1
            }
        }
        limit.rlim_cur = before
        setrlimit(1, &limit)
        var found = 0
        for number in 0..<2000 {
            for candidate in try store.candidates(for: try WebURL("http://r.example/\(number)")) {
                _ = try store.body(of: candidate)
                found += 1
            }
        }
        for number in 0..<100 { try keep(store, number, 2) }
        try store.close()
        say("\(failures > 0 ? "some" : "none") failed, \(found < 2000 ? "some" : "none") left")
    }

    private static func begin(_ store: DiskCache, _ number: Int) throws -> ReceivedBody {
        let response = StoredResponse(status: 200, fields: [.cacheControl: "max-age=60"], size: 0, received: now)
        return try store.receive(response, for: try WebURL("http://r.example/\(number)"))
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
