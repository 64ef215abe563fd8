import AFCURL
import Testing

@testable import AFCPackageFormat

struct AnswerURLTests {
    @Test(
        arguments: [
            ("http://h.example/", 1, "http://h.example/"),
            ("http://h.example/", 2, "http://h.example/?__afc_answer=2"),
            ("http://h.example/a?b=c", 3, "http://h.example/a?b=c&__afc_answer=3"),
            ("http://h.example/a?", 3, "http://h.example/a?&__afc_answer=3"),
            ("http://h.example/a", 5000, "http://h.example/a?__afc_answer=1000"),
        ]
    )
    func `a later answer has its number in its URL`(url: String, number: Int, expected: String) throws {
        #expect(AnswerURL.url(try WebURL(url), number: number).description == expected)
        let parts = AnswerURL.parts(of: try WebURL(expected))
        #expect(
            parts?.url.description == (number == 1 ? nil : url)
                && parts?.number == (number == 1 ? nil : min(number, 1000))
        )
    }

    @Test(
        arguments: [
            "http://h.example/?__afc_answer=1", "http://h.example/?__afc_answer=1001",
            "http://h.example/?__afc_answer=x",
            "http://h.example/?__afc_answer=2&a", "http://h.example/__afc_answer=2",
            "http://h.example/?a__afc_answer=2",
        ]
    )
    func `other URLs state no number`(url: String) throws { #expect(AnswerURL.parts(of: try WebURL(url)) == nil) }
}
