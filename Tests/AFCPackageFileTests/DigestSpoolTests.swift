import AFCPackageFormat
import TestSupport
import Testing

@testable import AFCPackageFile

struct DigestSpoolTests {
    @Test(arguments: [1, 2, 7, 999, 1000, 5000])
    func `a digest over sorted runs is that over all members at once`(runSize: Int) throws {
        let scratch = try Scratch()
        let members = (0..<1000).map { number in
            let name = "d.example/\(number * 7919 % 1000)" + String(repeating: "ä", count: number % 200)
            return PackageDigest.Member(name: name, body: Array("body \(number)".utf8))
        }
        var spool = DigestSpool(folder: scratch.path, runSize: runSize)
        for member in members { try spool.add(member) }
        #expect(try spool.digest() == PackageDigest(of: members))
        #expect(scratch.names.isEmpty)
    }
}
