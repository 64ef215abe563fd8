internal import AFCHTTP
internal import HTTPTypes
internal import NIOHPACK

extension HPACKHeaders {
    /// Creates the fields of a response (RFC 9113 §8.3.2), or of its trailers if there is no status.
    init(_ status: HTTPResponse.Status?, _ fields: HTTPFields, length: Int64?) {
        self.init()
        if let status { add(name: ":status", value: String(status.code)) }
        for field in fields.sentFields { addSent(name: field.name.canonicalName, value: field.value) }
        if let length { addSent(name: "content-length", value: String(length)) }
    }

    /// Adds a field of a response; one whose value other responses hardly repeat doesn't go into the table of fields that
    /// both sides keep (RFC 7541 §2.3), where it would displace others.
    mutating func addSent(name: String, value: String) {
        switch name {
        case "age", "cache-status", "content-length", "etag", "expires", "last-modified", "location":
            add(name: name, value: value, indexing: .nonIndexable)
        default: add(name: name, value: value)
        }
    }
}

extension ServerRequest {
    /// Creates a request from HTTP/2 fields (RFC 9113 §8.3.1), whose pseudo-fields the parser has checked.
    init(_ headers: HPACKHeaders, body: RequestBody, connection: ConnectionContext) {
        var fields = HTTPFields()
        var hosts: [String] = []
        var cookies: [String] = []
        var method = ""
        var path = ""
        for (name, value, _) in headers {
            switch name {
            case ":method": method = value
            case ":path": path = value
            case ":authority": hosts.append(value)
            case "host": if hosts != [value] { hosts.append(value) }
            case "cookie": cookies.append(value)
            default:
                guard !name.hasPrefix(":"), let name = HTTPField.Name(name) else { continue }
                fields.append(HTTPField(name: name, value: value))
            }
        }
        // RFC 9113 §8.2.3: one field for recipients that know only HTTP/1.1. Setting it by its name would split it again.
        if !cookies.isEmpty { fields.append(HTTPField(name: .cookie, value: cookies.joined(separator: "; "))) }
        self.init(
            method: method,
            target: method == "CONNECT" ? hosts.first ?? "" : path,
            hosts: hosts,
            fields: fields,
            version: .http2,
            server: connection.server,
            body: body
        )
        isSecure = connection.isSecure
        serverName = connection.serverName
        tunnelled = connection.tunnelled
        remoteAddress = connection.remoteAddress
    }
}
