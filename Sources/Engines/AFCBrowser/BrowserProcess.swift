internal import AFCFiles
// The browser is controlled over a socket that it inherits, so this file makes system calls for sockets.
import AFCPlatform
internal import AFCProcess
internal import AFCText

/// A browser's process, which heads a process group of its own, and one end of the socket over which it is controlled.
final class BrowserProcess: Sendable {
    /// The socket; whoever uses it closes it.
    let socket: Int32
    private let pid: pid_t
    private let profile: TemporaryFolder
    /// A port that refuses connections, since it is bound but doesn't listen.
    private let deadPort: Int32

    /// The names under which browsers are found in PATH.
    static let names = [
        "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "chrome-headless-shell",
    ]

    /// The names of browsers without the protocol by which Chromium is controlled, which would never answer.
    private static let others = ["firefox", "safari", "epiphany", "konqueror", "falkon", "midori", "lynx", "w3m"]

    /// Returns the path of a browser.
    ///
    /// - Parameters:
    ///   - name: A path, or a name in PATH; nil for any known browser.
    ///   - path: The folders to search, separated by colons.
    /// - Returns: The path.
    /// - Throws: ``BrowserError`` if there is none.
    static func find(_ name: String?, path: String) throws(BrowserError) -> String {
        let file = name?.split(separator: "/").last?.lowercased() ?? ""
        if let name, let other = others.first(where: { file == $0 || file.hasPrefix($0 + "-") }) {
            throw BrowserError(
                .unavailable,
                subject: name,
                message: "\(other.prefix(1).uppercased() + other.dropFirst()) can't be controlled as Chromium can",
                remedy: .chooseBrowser
            )
        }
        if let name, name.contains("/") {
            guard access(name, X_OK) == 0, (try? OpenFile.kind(of: name)) != .folder else {
                throw BrowserError(
                    .unavailable,
                    subject: name,
                    message: "\(PrintableText.quoted(name)) is not a program that can be run",
                    remedy: .chooseBrowser
                )
            }
            return name
        }
        for name in name.map({ [$0] }) ?? names {
            for folder in path.split(separator: ":") {
                let path = "\(folder)/\(name)"
                if access(path, X_OK) == 0, (try? OpenFile.kind(of: path)) != .folder { return path }
            }
        }
        throw BrowserError(
            .unavailable,
            subject: name ?? "chromium",
            message:
                "there is no browser \(PrintableText.quoted(name ?? "chromium")) on this machine; install Chromium",
            remedy: .chooseBrowser
        )
    }

    /// Starts a browser.
    ///
    /// - Parameters:
    ///   - program: The path of the browser.
    ///   - path: The folders in which the browser finds other programs, separated by colons.
    ///   - folder: The folder for temporary files, which gets the browser's profile.
    /// - Throws: ``BrowserError`` if it can't be started.
    init(_ program: String, path: String, temporaryFolder folder: String) throws(BrowserError) {
        // The browser makes sockets in its temporary folder, and the path of a socket has at most 103 bytes. The names below
        // the folder take 79.
        let folder = folder.utf8.count <= 24 ? folder : "/tmp"
        do throws(FileError) {
            profile = try TemporaryFolder(for: "b", in: folder)
        } catch {
            throw BrowserError(.unavailable, subject: program, message: error.message)
        }
        guard let (dead, port) = Self.deadPort(), let (own, theirs) = Self.pair() else {
            profile.remove()
            throw BrowserError(.unavailable, subject: program, message: "the system has no more sockets or ports")
        }
        deadPort = dead
        defer { close(theirs) }
        // What the browser would write into the user's folders goes into the profile.
        let variables = [
            "PATH=\(path)", "HOME=\(profile.path)", "TMPDIR=\(profile.path)", "XDG_CONFIG_HOME=\(profile.path)/config",
            "XDG_CACHE_HOME=\(profile.path)/cache", "LANG=C.UTF-8", "TZ=UTC",
        ]
        do throws(FileError) {
            let words = [program] + Self.options(port: port, profile: profile.path)
            pid = try ChildProcess.start(words, environment: variables, control: theirs)
        } catch {
            close(own)
            close(dead)
            profile.remove()
            throw BrowserError(.unavailable, subject: program, message: error.message)
        }
        socket = own
    }

    /// The browser's options: no window, no network, and nothing that it does by itself.
    private static func options(port: UInt16, profile: String) -> [String] {
        let options =
            [
                "headless=new", "remote-debugging-pipe", "user-data-dir=\(profile)/data",
                "proxy-server=http://127.0.0.1:\(port)", "proxy-bypass-list=<-loopback>",
                "host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "dns-prefetch-disable", "disable-quic",
                "force-webrtc-ip-handling-policy=disable_non_proxied_udp",
                "webrtc-ip-handling-policy=disable_non_proxied_udp", "disable-background-networking",
                "disable-component-update", "disable-domain-reliability", "disable-sync",
                "disable-client-side-phishing-detection", "disable-default-apps", "disable-extensions",
                "disable-breakpad",
                "no-first-run", "no-default-browser-check", "no-pings", "disable-gpu", "mute-audio", "hide-scrollbars",
                "lang=en-US", "password-store=basic", "disable-background-timer-throttling",
                "disable-renderer-backgrounding", "disable-dev-shm-usage",
                // One process for all frames of a page, so that one session sees all requests.
                "disable-site-isolation-trials",
                "disable-features=IsolateOrigins,site-per-process,Translate,MediaRouter,OptimizationHints,DialMediaRouteProvider",
                "autoplay-policy=no-user-gesture-required",
            ] + (geteuid() == 0 ? ["no-sandbox"] : [])
        return options.map { "--" + $0 } + ["about:blank"]
    }

    /// Returns a connected pair of sockets, both above the descriptors that the browser uses.
    static func pair() -> (Int32, Int32)? {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, streamSocket, 0, &ends) == 0 else { return nil }
        let high = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
        for end in ends { close(end) }
        guard high[0] >= 0, high[1] >= 0 else {
            for end in high where end >= 0 { close(end) }
            return nil
        }
        return (high[0], high[1])
    }

    /// Returns a socket that is bound to a port of this machine and doesn't listen.
    private static func deadPort() -> (Int32, UInt16)? {
        let made = AFCPlatform.socket(AF_INET, streamSocket, 0)
        guard made >= 0 else { return nil }
        _ = fcntl(made, F_SETFD, FD_CLOEXEC)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(made, pointer, length) == 0 && getsockname(made, pointer, &length) == 0
            }
        }
        guard isBound else {
            close(made)
            return nil
        }
        return (made, UInt16(bigEndian: address.sin_port))
    }

    /// Kills the process group, so that the connection ends.
    func kill() { _ = AFCPlatform.kill(-pid, SIGKILL) }

    /// Ends the process group, and removes the profile; blocks.
    func end() {
        _ = AFCPlatform.kill(-pid, SIGTERM)
        var status: Int32 = 0
        var waited: pid_t = 0
        // Half a second: the profile is discarded anyway.
        for _ in 0..<50 {
            waited = waitpid(pid, &status, WNOHANG)
            if waited != 0 { break }
            usleep(10_000)
        }
        kill()
        if waited == 0 { _ = Descriptor.waitForExit(of: pid) }
        close(deadPort)
        profile.remove()
    }
}

#if canImport(Glibc)
private let streamSocket = Int32(SOCK_STREAM.rawValue)
#else
private let streamSocket = SOCK_STREAM
#endif
