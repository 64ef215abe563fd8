import Foundation
import TestSupport
import Testing

/// A PATH with this machine's programs except some, and with an `apt-get` that only notes what it is asked to install.
///
/// Images of CI services lack programs that a developer's machine has. One that is missing and noted is in PATH from then
/// on.
struct BareImage {
    private let scratch: Scratch
    /// The value of PATH.
    var path: String { scratch.path("bin") }

    /// Makes the folder.
    ///
    /// - Parameters:
    ///   - missing: The names of programs that the image lacks; their packages have the same names.
    ///   - installs: False if `apt-get` fails.
    /// - Throws: An error of the file system.
    init(without missing: [String], installs: Bool = true) throws {
        scratch = try Scratch()
        for name in missing { try scratch.write([], to: "missing/\(name)") }
        let own = ["afcache", "apt-get", "dpkg", "sudo"]
        for folder in Recipe.systemPath.split(separator: ":").map(String.init) where folder.hasPrefix("/") {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
                // Unlike a file's existence, its attributes are those of a link, which may lead nowhere.
                let isHere = (try? FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")) != nil
                guard !missing.contains(name), !own.contains(name), !isHere else { continue }
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                try FileManager.default.createSymbolicLink(
                    atPath: "\(path)/\(name)",
                    withDestinationPath: "\(folder)/\(name)"
                )
            }
        }
        try program("dpkg", "test \"$1\" != -s || ! test -e '\(scratch.path("missing"))'/\"$2\"")
        try program("sudo", "exec \"$@\"")
        try program(
            "apt-get",
            """
            \(installs ? "" : "echo 'no network' >&2; exit 100")
            [[ " $* " == *" install "* ]] || exit 0
            for package; do
                case $package in -* | install) continue ;; esac
                [ -e '\(scratch.path("missing"))'/"$package" ] || continue
                echo "$package" >>'\(scratch.path("installed"))'
                rm '\(scratch.path("missing"))'/"$package"
                ln -s "$(PATH='\(Recipe.systemPath)' command -v "$package")" '\(path)'/"$package"
            done
            """
        )
    }

    /// The missing programs that were installed, in order.
    func installed() throws -> [String] {
        String(decoding: try scratch.read("installed"), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func program(_ name: String, _ script: String) throws {
        try scratch.write(Array("#!/bin/bash\n\(script)\n".utf8), to: "bin/\(name)")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(path)/\(name)")
    }
}
