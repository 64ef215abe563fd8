import Testing

@testable import AFCExport

/// Drawings that browsers open by themselves or in a frame, where no policy holds (docs/reference/export.md).
struct DrawingFenceTests {
    private static func svg(_ content: String, _ attributes: String = "") -> String {
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\"\(attributes)>\(content)</svg>"
    }

    @Test(arguments: [
        "<path d=\"M0 0\"/>", "<a xlink:href=\"https://live.example/\"><text>a &#160; b</text></a>",
        "<a href='../b.html#c'/>",
        "<use xlink:href='#a'/>", "<image href='../img/a.png'/>", "<image href='data:image/png;base64,AA=='/>",
        "<style>rect { fill: url(#a); background: url(\"b.png\") }</style>",
        "<rect style=\"fill:url(&quot;#a&quot;)\"/>",
        "<!-- <script> --><desc><![CDATA[<script>]]></desc>", "<set attributeName=\"fill\" to=\"red\"/>",
    ])
    func `a drawing that neither runs scripts nor loads anything stays as it is`(content: String) {
        #expect(DrawingFence.drawing(Array(("<?xml version='1.0'?>\n" + Self.svg(content)).utf8)) == nil)
    }

    @Test(arguments: [
        "<script>a</script>", "<s:script xmlns:s='http://www.w3.org/2000/svg'/>", "<rect onload='a'/>",
        "<foreignObject/>",
        "<image href='http://live.example/a.png'/>", "<image xlink:href='//live.example/a.png'/>",
        "<image href=' /a'/>",
        "<use href='data:image/svg+xml,a#b'/>", "<image href='&#104;ttp://live.example/'/>", "<a href='javascript:a'/>",
        "<rect style='fill:url(http://live.example/a)'/>", "<style>@import 'a'</style>",
        "<style>a { b: \\75rl(c) }</style>",
        "<rect fill='url( \"https://live.example/a\" )'/>",
        "<style><![CDATA[a { b: url(http://live.example/) }]]></style>",
        "<set attributeName='href' to='http://live.example/'/>", "<animate attributeName='onclick'/>",
        "<h:img xmlns:h='http://www.w3.org/1999/xhtml'/>", "<g xml:base='http://live.example/'/>", "<rect a>", "<!-->",
        "<b",
    ])
    func `any other becomes an image in a drawing`(content: String) throws {
        let result = try #require(
            DrawingFence.drawing(Array(Self.svg(content, " width='10' viewBox='1 2 30 40'").utf8))
        )
        let text = String(decoding: result, as: UTF8.self)
        #expect(
            text.hasPrefix(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"10\" viewBox=\"0 0 30.0 40.0\"><image width=\"100%\" "
                    + "height=\"100%\" href=\"data:image/svg+xml;base64,"
            )
        )
        #expect(DrawingFence.drawing(Array(text.replacing("svg+xml", with: "png").utf8)) == nil)
    }

    @Test(arguments: [
        "<!DOCTYPE svg [<!ENTITY a '<script/>'>]><svg>&a;</svg>", "<?xml-stylesheet href='a'?><svg/>", "\u{0}<svg/>",
        "<svg width=\"1&quot; onload=&quot;a\" onload='a'/>",
    ])
    func `nothing of the drawing is in the one around it`(drawing: String) throws {
        let result = try #require(DrawingFence.drawing(Array(drawing.utf8)))
        #expect(String(decoding: result, as: UTF8.self).hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\"><image "))
        #expect(DrawingFence.drawing([0xFF, 0xFE, 0x3C, 0x00]) != nil)
    }
}
