import AFCCache
import AFCDelivery
import AFCFiles
import AFCPlatform
import AFCProcess
import AFCText
import AFCURL
import ArgumentParser

extension RegistryLogins {
    /// The largest answer of a credential helper, in bytes.
    private static let answerLimit = 64 << 10
    /// The time that a helper may take, in seconds: it may ask the user to unlock something.
    private static let patience = 60.0

    /// Reads Docker's file of the user, and asks the credential helper that the file names for the registry.
    ///
    /// - Parameter reference: An artifact of the registry.
    /// - Returns: What is known; without a file, nothing is.
    /// - Throws: An error of the file or of the helper.
    static func ofUser(for reference: RegistryReference) async throws -> RegistryLogins {
        func value(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        guard let folder = value("DOCKER_CONFIG") ?? value("HOME").map({ $0 + "/.docker" }) else {
            return RegistryLogins()
        }
        let path = folder + "/config.json"
        var status = stat()
        guard stat(path, &status) == 0 else { return RegistryLogins() }
        guard var logins = RegistryLogins(try SmallFile.read(path, limit: 1 << 20)) else {
            throw ValidationError(
                "\(PrintableText.quoted(path)) is not Docker's file of credentials; log in again, or remove it"
            )
        }
        guard let suffix = logins.helper(for: reference) else { return logins }
        guard suffix.utf8.allSatisfy({ PercentDecoding.isUnreserved($0) }) else {
            throw ValidationError(
                "\(PrintableText.quoted(path)) names \(PrintableText.quoted(suffix)), which can't be a credential helper"
            )
        }
        let program = "docker-credential-" + suffix
        let answer = try await ask(program, for: reference.authority)
        guard let answer else { return logins }
        guard logins.add(answer: answer, for: reference) else {
            throw CacheError(
                .inputOutput,
                subject: program,
                message: "the credential helper's answer is not the JSON object of such programs"
            )
        }
        return logins
    }

    /// Returns what a credential helper prints for a registry; nil if it has no credentials for it.
    private static func ask(_ program: String, for authority: String) async throws -> [UInt8]? {
        let environment = ProcessEnvironment.variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let result: (status: Int32, output: [UInt8])
        do {
            result = try await OffPool.run { () throws(FileError) in
                try ChildProcess.output(
                    of: [program, "get"],
                    environment: environment,
                    input: Array((authority + "\n").utf8),
                    limit: answerLimit,
                    within: patience
                )
            }
        } catch {
            throw CacheError(.inputOutput, subject: program, message: error.message)
        }
        guard result.status != 0 else { return result.output }
        let words = String(decoding: result.output, as: UTF8.self).split(whereSeparator: \.isNewline).first ?? ""
        // The text is part of the protocol between Docker and its helpers.
        if words.contains("credentials not found") { return nil }
        throw CacheError(
            .inputOutput,
            subject: program,
            message: "the credential helper failed (status \(result.status)): "
                + PrintableText.escaped(String(words.prefix(200)))
        )
    }
}
