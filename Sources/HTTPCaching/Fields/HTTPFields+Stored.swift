public import HTTPTypes

extension HTTPFields {
    /// The fields without those that describe one connection only (RFC 9110 §7.6.1, RFC 9111 §3.1).
    public var withoutConnectionFields: HTTPFields {
        var dropped: Set<String> = [
            "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization",
            "proxy-authentication-info", "te", "trailer", "transfer-encoding", "upgrade",
        ]
        if let connection = HTTPField.Name("connection") {
            for name in self[values: connection].flatMap(FieldText.list) { dropped.insert(name.lowercased()) }
        }
        return HTTPFields(filter { !dropped.contains($0.name.canonicalName) })
    }
}
