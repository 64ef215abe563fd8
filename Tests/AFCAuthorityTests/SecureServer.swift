import Foundation
import TestSupport
import Testing

/// A server of Python's, at a free port, that answers with `hello` and has a leaf of ours.
enum SecureServer {
    /// Runs it with the certificate and the key that stand in files with this name, as long as the body uses its port.
    static func run(_ made: Made, _ name: String, _ body: (String) async throws -> Void) async throws {
        let script = """
            import http.server, ssl, sys
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[1], sys.argv[2])
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
            server.RequestHandlerClass.do_GET = lambda self: (
                self.send_response(200), self.send_header("Content-Length", "5"), self.end_headers(),
                self.wfile.write(b"hello"))
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
            print(server.server_port, flush=True)
            server.serve_forever()
            """
        let program = try RunningProgram(
            "python3",
            ["-c", script, made.scratch.path(name + ".pem"), made.scratch.path(name + "-key.pem")]
        )
        // Not by SIGTERM: the threads of Swift's pool hold signals back, and what they start inherits that.
        defer { _ = program.stop(SIGKILL) }
        try await body(try #require(try await program.firstLine(), "the server doesn't start"))
    }
}
