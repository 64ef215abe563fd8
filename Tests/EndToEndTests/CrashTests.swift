import Foundation
import TestSupport
import Testing

/// A sample of what `scripts/crash-test` does in full: the built program is killed, and its disk made to fail, while it
/// changes a store.
struct CrashTests {
    static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Faults/faults.py").path

    /// False only where the script says that nothing can be mounted; whatever else fails, fails in the tests.
    private static let canMount: Bool = {
        let noMounts: Int32 = 3
        return (try? Program.run("python3", [script, Program.afcache, "--can-mount"]).status) != noMounts
    }()

    /// The kinds of faults that one run of the script tests; each number makes a kind a sample.
    private static func test(_ kinds: [String]) throws {
        let result = try Program.run("python3", [script, Program.afcache, "--only", kinds.joined(separator: ",")])
        #expect(result.status == 0, "\(result.text)\(result.errors)")
        let lines = result.text.split(separator: "\n")
        #expect(lines.count == kinds.count)
        for (kind, line) in zip(kinds, lines) {
            #expect(line.hasPrefix("\(kind.prefix { $0 != ":" }): ") && line.contains(": sound"), "\(line)")
        }
    }

    /// ThreadSanitizer can't start where files may not grow: it maps a file of its own.
    private static let sizes = ProcessInfo.processInfo.environment["TSAN_OPTIONS"] == nil ? ["size:9"] : []

    @Test(arguments: [["kill:10", "boundary:61", "lost:13"] + sizes, ["error:311"], ["pack:29", "fix:3"]])
    func `a cache is intact after every fault`(kinds: [String]) throws {
        try Self.test(kinds)
    }

    @Test(.enabled(if: canMount, "only root can mount disks that are full or fail, and not in every container"))
    func `a cache is intact after every fault of a disk`() throws {
        try Self.test(["full:4", "filled", "cut:60", "readonly"])
    }

    // MARK: Received responses on a full disk

    private static let writer = (Program.afcache as NSString).deletingLastPathComponent + "/receivingwriter"

    /// Runs a shell script that may mount a file system on the folder `$1/disk`.
    private static func onDisks(_ script: String, in scratch: Scratch) throws -> [String] {
        try FileManager.default.createDirectory(atPath: scratch.path("disk"), withIntermediateDirectories: true)
        let arguments = ["-m", "sh", "-ec", script, "sh", scratch.path, writer, Program.afcache]
        let result = try Program.run("unshare", arguments)
        #expect(result.status == 0, "\(result.errors)")
        return result.text.split(separator: "\n").map(String.init)
    }

    @Test(.enabled(if: canMount, "only root can mount disks that are full"))
    func `limit, clear and gc free what received responses take on a disk that is full`() throws {
        let scratch = try Scratch()
        let lines = try Self.onDisks(
            """
            "$2" many "$1/store" >&2
            "$3" cache limit --bytes 1G --cache "$1/store" >&2
            for change in "limit --bytes 1M" "clear --received" gc; do
                mount -t tmpfs -o size=24m tmpfs "$1/disk"
                cp -a "$1/store" "$1/disk/c"
                cat /dev/zero > "$1/disk/fill" 2>/dev/null || true
                status=0
                "$3" cache $change --cache "$1/disk/c" >&2 || status=$?
                size=0
                [ ! -e "$1/disk/c/received.sqlite" ] || size=$(stat -c %s "$1/disk/c/received.sqlite")
                [ "$size" -gt 2000000 ] && size=large || size=small
                "$3" cache verify --cache "$1/disk/c" >&2
                echo "$change: $status, $size"
                umount "$1/disk"
            done
            """,
            in: scratch
        )
        #expect(lines == ["limit --bytes 1M: 0, small", "clear --received: 0, small", "gc: 0, small"])
    }

    @Test(
        .enabled(if: canMount, "only root can mount disks that are full"),
        arguments: [("crowd", 11), ("throng", 699)]
    )
    func `on a full disk new responses take the place of the oldest`(kind: String, last: Int) throws {
        let scratch = try Scratch()
        let lines = try Self.onDisks(
            """
            mount -t tmpfs -o size=8m tmpfs "$1/disk"
            "$2" \(kind) "$1/disk/c"
            "$3" cache verify --cache "$1/disk/c" >&2
            """,
            in: scratch
        )
        #expect(lines.count == 1)
        let line = lines.first ?? ""
        #expect(line.hasPrefix("0 failed, ") && line.hasSuffix(" last is \(last)"), "\(line)")
    }

    /// An origin whose page has the number of POST requests so far, plus 1.
    private static let counting = """
        import http.server
        class Handler(http.server.BaseHTTPRequestHandler):
            number = 1
            def log_message(self, *arguments): pass
            def do_GET(self):
                body = b"v%d\\n" % Handler.number
                self.send_response(200)
                self.send_header("Cache-Control", "max-age=600")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def do_POST(self):
                Handler.number += 1
                self.do_GET()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

    /// RFC 9111 §4.4: what isn't written comes back with the next start.
    @Test(.enabled(if: canMount, "only root can mount disks that are full"), arguments: ["TERM", "KILL"])
    func `what a change makes invalid on a full disk stays so after a restart`(signal: String) throws {
        let scratch = try Scratch()
        try scratch.write(Array(Self.counting.utf8), to: "origin.py")
        let lines = try Self.onDisks(
            """
            mount -t tmpfs -o size=12m tmpfs "$1/disk"
            python3 "$1/origin.py" > "$1/port" &
            origin=$!
            trap 'kill $origin' EXIT
            while [ ! -s "$1/port" ]; do sleep 0.1; done
            start() {
                : > "$2/address"
                "$3" serve --origin "http://127.0.0.1:$1" --port 0 --cache "$2/disk/c" > "$2/address" 2>> "$2/log" &
                server=$!
                while [ ! -s "$2/address" ]; do sleep 0.1; done
                address=$(sed 's,.* ,,' "$2/address")
            }
            port=$(cat "$1/port")
            start "$port" "$1" "$3"
            curl -s "$address"
            sleep 1
            cat /dev/zero > "$1/disk/fill" 2>/dev/null || true
            curl -s -X POST "$address" > /dev/null
            curl -s "$address"
            sleep 1
            kill -\(signal) $server
            status=0
            wait $server || status=$?
            echo "ended with $status" >&2
            rm "$1/disk/fill"
            start "$port" "$1" "$3"
            curl -s "$address"
            kill -TERM $server
            wait $server
            cat "$1/log" >&2
            """,
            in: scratch
        )
        #expect(lines == ["v1", "v2", "v2"])
    }

    @Test(.enabled(if: canMount, "only root can mount disks without free inodes"))
    func `a cache is verified even if no file can be created`() throws {
        let scratch = try Scratch()
        try scratch.write([0x70], to: "site/index.html")
        let lines = try Self.onDisks(
            """
            mount -t tmpfs -o size=50m,nr_inodes=100 tmpfs "$1/disk"
            "$3" pack --folder "$1/site" --base-url http://d.example -o "$1/d.zip" >&2
            "$3" load "$1/d.zip" --cache "$1/disk/c" >&2
            number=0
            while (: > "$1/disk/$number") 2>/dev/null; do number=$((number + 1)); done
            "$3" cache verify --cache "$1/disk/c" >&2 && echo verified
            """,
            in: scratch
        )
        #expect(lines == ["verified"])
    }
}
