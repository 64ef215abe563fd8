public import HTTPTypes

extension HTTPFields {
    /// The names, in lower case, of fields that describe one connection only (RFC 9110 §7.6.1, RFC 9111 §3.1).
    static let connectionNames: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization",
        "proxy-authentication-info", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// The fields without those that describe one connection only, and without those that Connection lists (RFC 9110 §7.6.1,
    /// RFC 9111 §3.1).
    public var withoutConnectionFields: HTTPFields {
        let listed = Set(self[values: .connection].flatMap(FieldText.list).map { $0.lowercased() })
        return HTTPFields(
            filter {
                let name = $0.name.canonicalName
                return !Self.connectionNames.contains(name) && !listed.contains(name)
            }
        )
    }
}
