package import AFCFiles
internal import AFCPlatform

/// A network for programs that has only a loopback interface, and a socket by which this process serves them.
///
/// It exists as long as the value or a program in it. Linux only (network_namespaces(7)).
package final class IsolatedNetwork: Sendable {
    /// The socket, which listens on 127.0.0.1 in the network; whoever serves on it closes it.
    package let socket: Int32
    private let network: Int32
    /// The user namespace that the network belongs to; -1 if that is this process's own.
    private let users: Int32

    /// Creates a network: in this process's user namespace if it may, else in a new one with the same user.
    ///
    /// - Throws: ``FileError`` if the system allows neither.
    package init() throws(FileError) {
        #if os(Linux)
        var files: [Int32] = [-1, -1, -1]
        var failure = afc_make_network(&files, nil, nil)
        if failure == EPERM {
            for file in files where file >= 0 { close(file) }
            failure = afc_make_network(&files, "\(geteuid()) \(geteuid()) 1\n", "\(getegid()) \(getegid()) 1\n")
        }
        guard failure == 0 else {
            for file in files where file >= 0 { close(file) }
            // Where namespaces are forbidden, their limit is 0; no disk is full.
            throw Self.failure(failure == ENOSPC ? EPERM : failure)
        }
        (network, users, socket) = (files[0], files[1], files[2])
        #else
        throw Self.failure(ENOSYS)
        #endif
    }

    deinit { for file in [network, users] where file >= 0 { close(file) } }

    private static func failure(_ number: Int32) -> FileError {
        let what = "a network namespace"
        return FileError(what, "cannot make \(what): \(String(cString: strerror(number)))")
    }

    /// Starts a program in the network, as ``ChildProcess/start(_:environment:control:streams:)`` does.
    ///
    /// - Parameters:
    ///   - words: The program's path, or its name in PATH, and its arguments.
    ///   - environment: The variables, each as `NAME=VALUE`.
    /// - Returns: The process.
    /// - Throws: ``FileError`` if it can't be started.
    package func start(_ words: [String], environment: [String]) throws(FileError) -> Int32 {
        #if os(Linux)
        let arguments = words.map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        let started = afc_start_in_network(network, users, arguments, variables)
        guard started > 0 else { throw .system("cannot run", words[0], number: -started) }
        return started
        #else
        throw .system("cannot run", words[0], number: ENOSYS)
        #endif
    }
}
