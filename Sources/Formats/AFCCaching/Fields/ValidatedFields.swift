public import HTTPTypes

extension HTTPFields {
    /// Takes over the fields of an answer that validated the response (RFC 9111 §3.2).
    ///
    /// Those that describe the stored bytes stay. The old Age goes, since it says nothing of what has just been validated.
    ///
    /// - Parameter answer: The answer's fields, without those of the connection.
    public mutating func update(with answer: HTTPFields) {
        let new = answer.filter { !Self.ofBytes.contains($0.name.canonicalName) }
        let names = Set(new.map(\.name.canonicalName))
        removeAll { names.contains($0.name.canonicalName) || $0.name == .age }
        append(contentsOf: new)
    }

    private static let ofBytes: Set<String> = [
        "content-length", "content-encoding", "content-range", "content-digest", "content-md5",
    ]
}
