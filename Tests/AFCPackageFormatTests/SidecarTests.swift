import AFCCaching
import AFCHTTP
import AFCPackageFormat
import AFCText
import AFCURL
import HTTPTypes
import Testing

struct SidecarTests {
    static func record(_ line: String) throws(ResourceRecord.Malformation) -> ResourceRecord {
        let bytes = Array(line.utf8)
        let result: Result<ResourceRecord, ResourceRecord.Malformation> = bytes.withUnsafeBufferPointer { buffer in
            Result { () throws(ResourceRecord.Malformation) in try ResourceRecord(line: buffer) }
        }
        return try result.get()
    }

    @Test func `a record is written as one line and read back`() throws {
        var fields = HTTPFields()
        fields[.contentType] = "text/css"
        fields[.eTag] = "\"5\\f\""
        fields.append(HTTPField(name: .vary, value: "Accept"))
        fields.append(HTTPField(name: .vary, value: "Accept-Language"))
        var request = HTTPFields()
        request[.accept] = "*/*"
        var record = ResourceRecord(
            url: try WebURL("http://docs.example/a.css"),
            status: 203,
            fields: fields,
            requestFields: request,
            coding: "gzip",
            fetched: Timestamp(secondsSinceEpoch: 784_111_777),
            size: 812,
            sha256: String(repeating: "0f", count: 32)
        )
        record.robotsUsage = UsagePreferences(text: "ai-train=n, search=y")
        record.pageUsage = UsagePreferences(text: "noai")
        var bytes: [UInt8] = []
        record.write(to: &bytes)
        let line = String(decoding: bytes, as: UTF8.self)
        #expect(line.hasSuffix("}\n"))
        #expect(line.split(separator: "\n").count == 1)
        #expect(line.hasSuffix(#","robotsUsage":"ai-train=n, search=y","pageUsage":"noai"}"# + "\n"))
        #expect(try Self.record(String(line.dropLast())) == record)
    }

    @Test(arguments: [
        ("{", "json"), ("{} x", "json"), ("{}", "url"), (#"{"url":"a","status":200}"#, "url"),
        (#"{"url":"http://a.example/"}"#, "status"),
        (#"{"url":"http://a.example/","status":206}"#, "status"),
        (#"{"url":"http://a.example/","status":"200"}"#, "status"),
        (#"{"url":"http://a.example/","status":200,"fields":[["a b","c"]]}"#, "fields"),
        (#"{"url":"http://a.example/","status":200,"fields":[["a","b\r\nc: d"]]}"#, "fields"),
        (#"{"url":"http://a.example/","status":200,"size":-1}"#, "size"),
        (#"{"url":"http://a.example/","status":200,"sha256":"ab"}"#, "sha256"),
        (#"{"url":"http://a.example/","status":200,"fetched":"now"}"#, "fetched"),
    ])
    func `a line that isn't a record is reported with the reason`(line: String, key: String) {
        do throws(ResourceRecord.Malformation) {
            _ = try Self.record(line)
            Issue.record("'\(line)' was read")
        } catch {
            if key == "json" {
                guard case .notJSON = error else {
                    Issue.record("\(error)")
                    return
                }
            } else {
                #expect(error == .badValue(key: key))
            }
        }
    }

    @Test(arguments: [
        (#"{"a":[1,-2.5e+3,true,null,"xA\n\"\\"]}"#, true), ("[", false), ("[1,]", false), ("01", false), ("1.", false),
        ("\"\u{1}\"", false),
        (#""\ud83d\ude00""#, true), (#""\ud83d""#, false), ("nul", false), ("{\"a\":1,}", false), ("", false),
        ("\"a", false),
        (String(repeating: "[", count: 31) + String(repeating: "]", count: 31), true),
        (String(repeating: "[", count: 100_000), false), ("-", false), ("+1", false), (" 1 ", true),
        (#""\u+123""#, false),
    ])
    func `JSON is read strictly and never too deep`(text: String, isValid: Bool) {
        let value = try? JSONValue(parsing: Array(text.utf8))
        #expect((value != nil) == isValid)
        if let value { #expect((try? JSONValue(parsing: Array(value.serialized.utf8))) == value) }
    }

    @Test func `invisible characters are escaped in JSON`() throws {
        let value = JSONValue.string("a\u{9B}1m\u{202E}b\u{E0041}é\"\u{1F600}")
        #expect(value.serialized == #""a\u009b1m\u202eb\udb40\udc41é\"\#u{1F600}""#)
        #expect(try JSONValue(parsing: Array(value.serialized.utf8)) == value)
    }

    @Test func `the description of a package is read back, and a newer format refused`() throws {
        let info = PackageInfo(
            generator: "afcache/0.1.0",
            created: Timestamp(secondsSinceEpoch: 784_111_777),
            seeds: ["http://docs.example/"],
            resources: 3,
            redirects: 1,
            bodyBytes: 9
        )
        #expect(try PackageInfo(info.bytes) == info)
        #expect(throws: PackageInfo.Malformation.newerVersion(2)) { try PackageInfo(Array(#"{"format":2}"#.utf8)) }
        #expect(throws: PackageInfo.Malformation.noVersion) { try PackageInfo(Array("{}".utf8)) }
        #expect(throws: PackageInfo.Malformation.notJSON) { try PackageInfo(Array("[]".utf8)) }
    }

    @Test func `an index puts manifest, sidecar and members together`() throws {
        let manifest = """
            http://d.example/a ; NULL ; NULL ; text/plain
            http://d.example/gone ; NULL ; NULL ; text/plain

            """
        let records = """
            {"url":"http://d.example/a","status":200,"fields":[],"size":5}
            {"url":"http://d.example/old","status":301,"fields":[["location","/a"]]}
            {"url":"http://d.example/lost","status":200,"fields":[]}

            """
        let index = PackageIndex(
            members: [
                .init(name: "d.example/a", size: 4), .init(name: "d.example/extra", size: 1),
                .init(name: ".userdata/k/x", size: 1),
                .init(name: "manifest.afcache", size: 1), .init(name: ".afcache/future", size: 1),
            ],
            manifest: Array(manifest.utf8),
            info: nil,
            records: Array(records.utf8)
        )
        #expect(
            index.resources.map(\.url.description) == [
                "http://d.example/a", "http://d.example/gone", "http://d.example/old",
            ]
        )
        #expect(index.resources.map(\.member) == [0, nil, nil])
        #expect(index.userData == [2])
        #expect(
            index.problems.map(\.rule) == [
                "member.missing", "sidecar.size", "sidecar.record-without-entry", "member.without-entry",
            ]
        )
        #expect(!index.isLoadable)
    }

    @Test func `the manifest overrides the sidecar`() throws {
        let url = try WebURL("http://d.example/a")
        var fields = HTTPFields()
        fields[.date] = "Sun, 06 Nov 1994 08:49:37 GMT"
        fields[.cacheControl] = "public, max-age=60"
        fields[.contentType] = "text/plain"
        let record = ResourceRecord(url: url, fields: fields, fetched: Timestamp(secondsSinceEpoch: 784_111_777))
        let expires = Timestamp(secondsSinceEpoch: 784_111_777 + 3600)
        let entry = ManifestEntry(url: url, expires: expires, mediaType: "text/html")
        let resource = PackageIndex.Resource(url: url, entry: entry, line: 1, record: record, member: 0)
        let merged = PackageIndex.responseFields(of: resource, packageDate: expires)
        #expect(merged[.contentType] == "text/html")
        #expect(merged[.expires] == "Sun, 06 Nov 1994 09:49:37 GMT")
        #expect(merged[.cacheControl] == "public")
        #expect(merged[.date] == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(record.expiry == Timestamp(secondsSinceEpoch: 784_111_837))
    }

    @Test func `what robots.txt and the page say is beside the fields, and only from the record's own keys`() throws {
        let url = try WebURL("http://d.example/a")
        var fields = HTTPFields()
        fields[.robotsUsage] = "search=n"
        var record = ResourceRecord(url: url, fields: fields)
        record.robotsUsage = UsagePreferences(text: "ai-input=n")
        let resource = PackageIndex.Resource(
            url: url,
            entry: ManifestEntry(url: url),
            line: 1,
            record: record,
            member: 0
        )
        let merged = PackageIndex.responseFields(of: resource, packageDate: Timestamp(secondsSinceEpoch: 784_111_777))
        #expect(merged[.robotsUsage] == "ai-input=n" && merged[.pageUsage] == nil)
    }

    @Test func `a recorded response without a type is served without one, an entry alone as octets`() throws {
        let url = try WebURL("http://d.example/a")
        let date = Timestamp(secondsSinceEpoch: 784_111_777)
        let entry = ManifestEntry(url: url)
        let record = ResourceRecord(url: url, fields: HTTPFields(), fetched: date)
        let recorded = PackageIndex.Resource(url: url, entry: entry, line: 1, record: record, member: 0)
        #expect(PackageIndex.responseFields(of: recorded, packageDate: date)[.contentType] == nil)
        let alone = PackageIndex.Resource(url: url, entry: entry, line: 1, record: nil, member: 0)
        let fields = PackageIndex.responseFields(of: alone, packageDate: date)
        #expect(fields[.contentType] == "application/octet-stream")
    }
}
