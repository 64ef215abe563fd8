internal import AFCOrigin
internal import AFCText

/// Why no whole answer came, and whether asking again may help.
struct ConnectionFailure: Error {
    /// What happened; lower case, no full stop.
    var message: String
    /// Whether asking again may help.
    var isTransient = true
    /// The way out of it, if the program may have an option for it.
    var remedy: Remedy?

    init(_ message: String, isTransient: Bool = true) {
        self.message = message
        self.isTransient = isTransient
    }

    /// Puts into words what the client and what lies below it throw.
    init(_ error: any Error) {
        if let error = error as? ConnectionFailure {
            self = error
            return
        }
        let trouble = ConnectionTrouble(error)
        let isTransient = if case .notHTTP = trouble { false } else { !trouble.isOfTLS }
        switch trouble {
        case .cut: self.init("the connection ended before the package did")
        case .timeout: self.init("the server stopped sending")
        case .other(let reason): self.init("the connection failed (\(reason))")
        case .tls: self.init(trouble.words)
        case .untrusted(nil), .untrusted(.selfSigned), .untrusted(.unknownIssuer):
            self.init(trouble.words, isTransient: false)
            remedy = .trustServer
        default: self.init(trouble.words, isTransient: isTransient)
        }
    }
}
