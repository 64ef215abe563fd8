import AFCDiscovery
import Testing

@testable import AFCExport

/// The policy of an exported page, which nothing of the page may precede (docs/reference/export.md).
struct PageFenceTests {
    private let fence = PageFence(allowsScripts: true)

    @Test(arguments: [
        ("<p>a", "", "<p>a"),
        ("<!doctype html><html lang=en><head><p>a", "<!doctype html>", "<html lang=en><head><p>a"),
        ("\u{FEFF}<!-- c -->\n<!DOCTYPE html><p>a", "\u{FEFF}<!-- c -->\n<!DOCTYPE html>", "<p>a"),
        // Anything else ends the head.
        ("a<!doctype html>", "", "a<!doctype html>"), ("</br><title>a", "", "</br><title>a"),
        ("<!doctype html>a<title>b", "<!doctype html>", "a<title>b"),
        // A comment ends earlier than it seems, and never.
        ("<!--><script>a</script>--><!doctype html>", "", "<!--><script>a</script>--><!doctype html>"),
        ("<!--->a--><!doctype html>", "", "<!--->a--><!doctype html>"),
        ("<!-- a --!><!doctype html><p>", "<!-- a --!><!doctype html>", "<p>"),
        ("<!-- a <!doctype html>", "", "<!-- a <!doctype html>"),
        // A type ends at the first bracket, even within quotes.
        ("<!doctype html \">\"<p>", "<!doctype html \">", "\"<p>"), ("<!doctype html", "", "<!doctype html"),
        // A browser may guess an encoding in which a comment is longer.
        ("<!-- \u{1B}$B --><!doctype html>", "", "<!-- \u{1B}$B --><!doctype html>"),
        ("<?xml version='1.0'?><!doctype html><p>", "<?xml version='1.0'?><!doctype html>", "<p>"),
        ("<? \">\"?><!doctype html>", "", "<? \">\"?><!doctype html>"), ("", "", ""),
    ])
    func `in HTML, only the document's type and comments come before it`(page: String, before: String, after: String) {
        #expect(String(decoding: fence.html(Array(page.utf8)), as: UTF8.self) == before + fence.element + after)
    }

    @Test func `an encoding that only the response states becomes a part of the page`() {
        let fence = PageFence(allowsScripts: true, encoding: TextEncoding(label: "latin1"))
        #expect(fence.element == "<meta charset=\"windows-1252\"/>" + self.fence.element)
    }

    private static let namespace = "http://www.w3.org/1999/xhtml"

    @Test(arguments: [
        ("<html xmlns=\"\(namespace)\">", "<head><title>a</title></head><body/></html>"),
        (
            "<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC \"a\" \"b\">\n<!-- > --><html xmlns='\(namespace)'>",
            "<body/></html>"
        ),
        ("<h:html lang='a>b' xmlns:h='\(namespace)'>", "<h:body/></h:html>"),
    ])
    func `in XHTML, it is in the first head`(start: String, rest: String) {
        let head = "<head xmlns=\"\(Self.namespace)\">\(fence.element)</head>"
        #expect(String(decoding: fence.xhtml(Array((start + rest).utf8)), as: UTF8.self) == start + head + rest)
    }

    @Test(arguments: [
        "<html><body/></html>", "<svg xmlns='http://www.w3.org/2000/svg'><script>a</script></svg>", "", "text",
        "<html xmlns='\(namespace)'/>", "<?xml-stylesheet href='a'?><html xmlns='\(namespace)'></html>",
        "<!DOCTYPE html [<!ENTITY a 'b'>]><html xmlns='\(namespace)'></html>", "<h:html xmlns='\(namespace)'></h:html>",
        "<html:svg xmlns:html='\(namespace)'></html:svg>",
    ])
    func `what can't have a policy in XHTML is shown as text`(page: String) {
        let result = String(decoding: fence.xhtml(Array(page.utf8)), as: UTF8.self)
        #expect(
            result.hasPrefix(
                "<html xmlns=\"\(Self.namespace)\"><head xmlns=\"\(Self.namespace)\">\(fence.element)</head>"
            )
        )
        #expect(!result.contains("<script") && !result.contains("<?"))
    }

    @Test func `without scripts, none runs`() {
        #expect(PageFence(allowsScripts: false).element.contains("; script-src 'none'\"/>"))
        #expect(!fence.element.contains("script-src"))
    }
}
