import HTTPCaching
import HTTPTypes
import OfflineCache
import URLStandard

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Keeps received responses until it is killed, for tests that look at what it leaves.
///
///     receivingwriter hold STORE      gets the right to add, and waits
///     receivingwriter half STORE      writes half of a large body, and waits
///     receivingwriter stream STORE    keeps small and large responses, round and round
@main
enum ReceivingWriter {
    static let now = Timestamp(secondsSinceEpoch: 1_700_000_000)

    static func main() throws {
        guard CommandLine.arguments.count == 3 else { return }
        let store = try OfflineCache(path: CommandLine.arguments[2], access: .readWrite)
        try store.startReceiving()
        switch CommandLine.arguments[1] {
        case "half":
            let body = try begin(store, 0)
            try [UInt8](repeating: 1, count: 500_000).withUnsafeBytes { try body.write($0) }
            say("ready")
            while true { sleep(1) }
        case "stream":
            for round in 0... {
                for number in 0..<300 {
                    let body = try begin(store, number)
                    // The bytes tell the number and the round, so that mixed ones would show.
                    let size = number % 10 == 0 ? 40_000 : 500
                    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 % 2 == 0 ? number : round) }
                    try bytes.withUnsafeBytes { try body.write($0) }
                    _ = try body.finish()
                }
                if round == 0 { say("ready") }
            }
        default:
            say("ready")
            while true { sleep(1) }
        }
    }

    private static func begin(_ store: OfflineCache, _ number: Int) throws -> ReceivedBody {
        let response = StoredResponse(status: 200, fields: [.cacheControl: "max-age=60"], size: 0, received: now)
        return try store.receive(response, for: try WebURL("http://r.example/\(number)"))
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
