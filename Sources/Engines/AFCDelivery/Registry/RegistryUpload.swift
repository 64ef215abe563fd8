internal import AFCFiles
internal import AFCPlatform
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// The upload of a blob in parts, which resumes where an earlier one ended (OCI distribution specification 1.1, "Pushing a
/// blob in chunks").
struct RegistryUpload {
    /// An upload that the registry knows: its URL, and the number of bytes that the registry has.
    private struct Session {
        var url: WebURL
        var place: Int64
    }

    /// The beginning of a note, which tells it from other files of the same name.
    private static let noteHeader = "afcache-push-1\n"
    private static let attempts = 3

    let client: RegistryClient
    let package: String
    let file: OpenFile
    let size: Int64
    let digest: String

    /// The file that says where the upload is.
    private var note: String { package + ".push" }
    private var noteStart: String { "\(Self.noteHeader)\(client.root)\n\(digest)\n" }

    /// Uploads the blob, unless the registry has it.
    ///
    /// - Parameter onProgress: A closure called with the bytes that the registry has, and their total.
    /// - Returns: The number of bytes sent.
    /// - Throws: ``DeliveryError``.
    func run(_ onProgress: @Sendable (Int64, Int64) -> Void) async throws(DeliveryError) -> Int64 {
        if try await isThere(digest) { return 0 }
        var sent: Int64 = 0
        var known = try await earlier()
        for _ in 0..<Self.attempts {
            var session = if let known { known } else { try await begin() }
            remember(session.url)
            if try await sendRest(&session, &sent, onProgress), try await finish(session.url, digest) { return sent }
            known = nil
        }
        throw client.failure(.protocolViolation, "the registry lost the upload \(Self.attempts) times")
    }

    /// Uploads a small blob, unless the registry has it.
    func send(_ blob: [UInt8]) async throws(DeliveryError) {
        let digest = RegistryManifest.digest(blob)
        if try await isThere(digest) { return }
        let session = try await begin()
        guard try await finish(session.url, digest, body: blob) else {
            throw client.failure(.protocolViolation, "the registry lost the upload")
        }
    }

    /// Removes the note, once the package is complete.
    func forget() {
        if ownsNote { unlink(note) }
    }

    // MARK: Requests

    private func isThere(_ digest: String) async throws(DeliveryError) -> Bool {
        let url = try client.url("blobs/\(digest)", "the package")
        let answer = try await client.send(.head, url, actions: "pull,push")
        switch answer.status {
        // Some registries redirect to the blob.
        case 200, 302, 307: return true
        case 404: return false
        default: throw refused(answer.status)
        }
    }

    private func begin() async throws(DeliveryError) -> Session {
        let answer = try await client.send(.post, try client.url("blobs/uploads/", "uploads"), actions: "pull,push")
        guard answer.status == 202, let location = try location(answer) else {
            guard [200, 404, 405, 501].contains(answer.status) else { throw refused(answer.status) }
            throw client.failure(
                .status(answer.status),
                "no registry answers here, or it has no such repository (status \(answer.status)); check host and name"
            )
        }
        return Session(url: location, place: 0)
    }

    /// Sends the bytes that the registry lacks.
    ///
    /// - Returns: False if the registry has forgotten the upload.
    private func sendRest(
        _ session: inout Session,
        _ sent: inout Int64,
        _ onProgress: @Sendable (Int64, Int64) -> Void
    ) async throws(DeliveryError) -> Bool {
        while session.place < size {
            let count = min(Int64(RegistryPush.partSize), size - session.place)
            let answer = try await client.send(
                .patch,
                session.url,
                [
                    .contentType: "application/octet-stream",
                    .contentRange: "\(session.place)-\(session.place + count - 1)",
                ],
                body: try read(session.place, Int(count)),
                actions: "pull,push"
            )
            sent += count
            switch answer.status {
            case 201, 202, 204:
                session = Session(url: try location(answer) ?? session.url, place: session.place + count)
                remember(session.url)
                onProgress(session.place, size)
            case 404, 416:
                // A part whose answer was lost is there nevertheless.
                guard let found = try await status(of: session.url), found.place > session.place else { return false }
                session = found
            default: throw refused(answer.status)
            }
        }
        return true
    }

    /// Ends an upload.
    ///
    /// - Returns: False if the registry has forgotten the upload, or got other bytes.
    private func finish(_ url: WebURL, _ digest: String, body: [UInt8] = []) async throws(DeliveryError) -> Bool {
        let text = url.description
        let answer = try await client.send(
            .put,
            try client.url(text + (text.contains("?") ? "&" : "?") + "digest=" + digest, "the upload"),
            [.contentType: "application/octet-stream"],
            body: body,
            actions: "pull,push"
        )
        switch answer.status {
        case 201: return true
        case 400, 404, 416: return false
        default: throw refused(answer.status)
        }
    }

    /// Returns the upload at a URL as the registry has it; nil if there is none, or it is empty.
    private func status(of url: WebURL) async throws(DeliveryError) -> Session? {
        let answer = try await client.send(.get, url, actions: "pull,push")
        guard answer.status == 204, let range = HTTPField.Name("Range").flatMap({ answer.fields[$0] }) else {
            return nil
        }
        // For an empty upload, registries answer "0-0".
        guard let last = range.split(separator: "-").last.flatMap({ Int64($0) }), last > 0, last < size else {
            return nil
        }
        return Session(url: try location(answer) ?? url, place: last + 1)
    }

    private func location(_ answer: RegistryClient.Answer) throws(DeliveryError) -> WebURL? {
        guard let text = answer.fields[.location] else { return nil }
        return try client.url(text, "the upload")
    }

    private func read(_ place: Int64, _ count: Int) throws(DeliveryError) -> [UInt8] {
        do throws(FileError) {
            return try file.bytes(count, at: place)
        } catch {
            throw DeliveryError(.inputOutput, subject: package, message: error.message)
        }
    }

    private func refused(_ status: Int) -> DeliveryError {
        guard status == 401 || status == 403 else {
            return client.failure(.status(status), "the registry refused the package (status \(status))")
        }
        return client.failure(.status(status), "the registry refuses access (status \(status))", remedy: .logIn)
    }

    // MARK: The note

    /// Returns the upload that an interrupted push left, if the registry still has it.
    private func earlier() async throws(DeliveryError) -> Session? {
        guard let text = readNote(), text.hasPrefix(noteStart),
            let url = try? client.url(String(text.dropFirst(noteStart.count).prefix { $0 != "\n" }), "the upload"),
            url.origin == client.root.origin
        else { return nil }
        return try await status(of: url)
    }

    private func readNote() -> String? {
        (try? OpenFile(reading: note).contents(upTo: 1 << 16)).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// True if there is no other file by the note's name, which is never replaced.
    private var ownsNote: Bool { access(note, F_OK) != 0 || readNote()?.hasPrefix(Self.noteHeader) ?? false }

    /// Notes where the upload is.
    ///
    /// Without the note, an interrupted push only starts over, so a failure does no harm.
    private func remember(_ url: WebURL) {
        guard ownsNote else { return }
        try? Durable.write(Array("\(noteStart)\(url)\n".utf8), to: note, mode: 0o600, replacing: true)
    }
}
