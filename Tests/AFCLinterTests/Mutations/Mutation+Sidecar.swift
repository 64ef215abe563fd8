import AFCCaching
import AFCHTTP
import AFCLinter
import AFCPackageFormat
import Foundation
import TestSupport

/// Defects of the sidecar.
extension Mutation {
    static let sidecar: [Mutation] = [
        Mutation("no package.json") { package, _ in
            guard let place = package.place(of: PackageLayout.info) else { return nil }
            package.zip.members.remove(at: place)
            package.info = nil
            // Its signature has lost its date, too.
            return [.package("sidecar.missing")] + (package.isSigned ? [.package("signature.undated")] : [])
        },
        info("a package.json that can't be read", "sidecar.bad-info") { info, source in
            let texts = ["", "{}", "[]", "null", "{\"format\":0}", "{\"format\":\"1\"}", String(info.dropLast(3))]
            info = texts.randomElement(using: &source) ?? ""
        },
        info("a newer format", "sidecar.newer-format") { info, source in
            info = info.replacingOccurrences(
                of: "\"format\": 1",
                with: "\"format\": \(Int.random(in: 2...99, using: &source))"
            )
        },
        info("created in the future", "sidecar.created-in-future") { info, source in
            let date = LinterTests.now + Int64.random(in: 1...900_000_000, using: &source)
            info = info.replacingOccurrences(of: GoodPackages.created.iso8601, with: date.iso8601)
        },
        Mutation("a wrong count") { package, source in
            guard package.info != nil else { return nil }
            let keys = ["resources", "redirects", "bodyBytes"]
            package.count(keys.randomElement(using: &source) ?? "", Int.random(in: 1...99, using: &source))
            return [.info("sidecar.wrong-counts")]
        },
        Mutation("a crawl.json of another crawl") { package, source in
            let text = #"{"resources":"0","options":"0","robots":{},"failed":[],"skipped":{}}"#
            let texts = [text, "", "[]", String(text.dropLast()), text.replacingOccurrences(of: "0", with: "\u{1}")]
            package.insert(RawZip.Member(PackageLayout.crawl, texts.randomElement(using: &source) ?? ""))
            return [.member("sidecar.bad-crawl", PackageLayout.crawl)]
        },
        Mutation("a record that can't be read") { package, source in
            guard let index = package.anyRecord(&source) else { return nil }
            switch Int.random(in: 0..<4, using: &source) {
            case 0: package.records[index].removeLast()
            case 1: package.edit(index, "\"status\":", "\"Status\":")
            case 2: package.edit(index, "\"status\":", "\"status\":1")
            default: package.edit(index, "\"fields\":[", "\"fields\":[[\"only a name\"],")
            }
            return [.record("sidecar.bad-record", index)]
        },
        Mutation("a record that stands twice") { package, source in
            guard let index = package.anyRecord(&source) else { return nil }
            let target = Int.random(in: index + 1...package.records.count, using: &source)
            package.records.insert(package.records[index], at: target)
            return [.record("sidecar.duplicate-record", target)]
        },
        Mutation("a record that nothing belongs to") { package, source in
            guard !package.records.isEmpty else { return nil }
            let index = Int.random(in: 0...package.records.count, using: &source)
            package.records.insert("{\"url\":\"http://docs.example/none\",\"status\":200,\"size\":4}", at: index)
            return [.record("sidecar.record-without-entry", index)]
        },
        // Its body isn't counted any more, either.
        Mutation("a record that was taken out") { package, source in
            guard let entry = package.any(&source), let index = package.record(of: entry.url) else { return nil }
            package.records.remove(at: index)
            return [.line("sidecar.record-missing", entry.line), .info("sidecar.wrong-counts")]
        },
        Mutation("a wrong size") { package, source in
            guard let index = package.anyRecord(&source, where: { $0.contains("\"size\":") }) else { return nil }
            package.edit(index, "\"size\":", "\"size\":\(Int.random(in: 1...9, using: &source))")
            return [.record("sidecar.size", index)]
        },
        Mutation("a wrong digest") { package, source in
            guard let entry = package.any(&source), let index = package.record(of: entry.url) else { return nil }
            let digits = package.records[index].components(separatedBy: "\"sha256\":\"").last ?? ""
            let first = digits.first == "0" ? "1" : "0"
            package.edit(index, "\"sha256\":\"" + digits.prefix(1), "\"sha256\":\"" + first)
            return [.member("sidecar.digest", entry.member)]
        },
        Mutation("a type that disagrees") { package, source in
            let fit = { (text: String) in text.contains("text/plain; charset=utf-8") }
            guard let index = package.anyRecord(&source, where: fit) else { return nil }
            package.edit(index, "text/plain; charset=utf-8", "application/json")
            return [.record("sidecar.disagrees", index)]
        },
        Mutation("a last-modified that disagrees") { package, source in
            guard let index = package.anyRecord(&source, where: { $0.contains("\"last-modified\"") }) else {
                return nil
            }
            package.edit(
                index,
                "[\"last-modified\",\"",
                "[\"last-modified\",\"Mon, 02 Mar 2015 10:00:00 GMT\"],[\"x-was\",\""
            )
            return [.record("sidecar.disagrees", index)]
        },
        info("a signed package without its date", "signature.undated", onlySigned: true) { info, _ in
            info = info.replacingOccurrences(of: "\"created\"", with: "\"Created\"")
        },
    ]

    private static func info(
        _ kind: String,
        _ rule: String,
        onlySigned: Bool = false,
        _ change: @escaping @Sendable (inout String, inout Source) -> Void
    ) -> Mutation {
        Mutation(kind) { package, source in
            guard var text = package.info, package.isSigned || !onlySigned else { return nil }
            change(&text, &source)
            package.info = text
            return [onlySigned ? .package(rule) : .info(rule)]
        }
    }

    /// Records of which a field is wrong; the finding stands at the entry.
    static let record: [Mutation] = [
        field(
            "a stored cookie",
            "sidecar.set-cookie",
            [
                "\"set-cookie\",\"a=b\"", "\"authorization\",\"Basic QTpC\"", "\"cookie\",\"a=b\"",
            ]
        ),
        field("Vary with a star", "sidecar.vary-any", ["\"vary\",\"*\"", "\"vary\",\"accept, *\""]),
        field(
            "a response that mustn't be stored",
            "sidecar.no-store",
            [
                "\"cache-control\",\"no-store\"", "\"cache-control\",\"public, NO-STORE\"",
            ]
        ),
        field(
            "a private response",
            "sidecar.private",
            ["\"cache-control\",\"private\"", "\"cache-control\",\"Private, no-cache\""]
        ),
        field(
            "a content coding",
            "sidecar.content-encoding",
            ["\"content-encoding\",\"gzip\"", "\"content-encoding\",\"br\""]
        ),
        field(
            "another length",
            "sidecar.content-length",
            ["\"content-length\",\"9\"", "\"content-length\",\"987654\""]
        ),
        field(
            "a field of the connection",
            "sidecar.connection-field",
            [
                "\"transfer-encoding\",\"chunked\"", "\"connection\",\"close\"", "\"keep-alive\",\"timeout=5\"",
            ]
        ),
        Mutation("a page of an error") { package, source in
            guard let entry = package.any(&source), let index = package.record(of: entry.url) else { return nil }
            let status = [404, 410, 500, 503].randomElement(using: &source) ?? 0
            package.edit(index, "\"status\":200", "\"status\":\(status)")
            return [.line("sidecar.error-status", entry.line)]
        },
        Mutation("fetched in the future") { package, source in
            guard let entry = package.any(&source), let index = package.record(of: entry.url) else { return nil }
            let date = LinterTests.now + Int64.random(in: 1...900_000_000, using: &source)
            let old = "\"fetched\":\"\(GoodPackages.created.iso8601)\""
            package.edit(index, old, "\"fetched\":\"\(date.iso8601)\"")
            return [.line("sidecar.fetched-in-future", entry.line)]
        },
    ]

    private static func field(_ kind: String, _ rule: String, _ fields: [String]) -> Mutation {
        Mutation(kind) { package, source in
            guard let entry = package.any(&source), let index = package.record(of: entry.url) else { return nil }
            package.edit(index, "\"fields\":[", "\"fields\":[[\(fields.randomElement(using: &source) ?? "")],")
            return [.line(rule, entry.line)]
        }
    }

    /// Defects of signatures.
    static let signature: [Mutation] = [
        Mutation("a signature that is none") { package, source in
            guard let place = package.place(of: PackageLayout.signature) else { return nil }
            let texts = ["", "signed\n", "afcache-signature-2 ed25519 a b c\n", "\u{0}"]
            package.zip.members[place].setBody(Array((texts.randomElement(using: &source) ?? "x").utf8))
            return [.package("signature.malformed")]
        },
        Mutation("user data beside what was signed") { package, source in
            guard package.isSigned else { return nil }
            package.insert(RawZip.Member(".userdata/key/\(UInt16.random(in: 0...999, using: &source))", "more"))
            return [.package("signature.wrong")]
        },
        Mutation("another generator than was signed") { package, _ in
            guard package.isSigned else { return nil }
            package.info = package.info?.replacingOccurrences(of: "test/1", with: "test/2")
            return [.package("signature.wrong")]
        },
        Mutation("no signature where one is asked for") { package, source in
            if let place = package.place(of: PackageLayout.signature) { package.zip.members.remove(at: place) }
            package.options = { $0.trust = TrustPolicy(requiresSignature: true, trusted: []) }
            return [.package("signature.missing")]
        },
        Mutation("a signer whom nobody trusts") { package, source in
            guard package.isSigned else { return nil }
            let byte = UInt8.random(in: 8...255, using: &source)
            guard let key = SigningKey(seed: [UInt8](repeating: byte, count: 32), comment: "other") else { return nil }
            package.options = { $0.trust = TrustPolicy(requiresSignature: true, trusted: [key.publicKey]) }
            return [.package("signature.untrusted")]
        },
    ]
}
