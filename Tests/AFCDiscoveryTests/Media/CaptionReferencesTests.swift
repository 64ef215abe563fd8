import Testing

@testable import AFCDiscovery

struct CaptionReferencesTests {
    @Test func `pictures for times of a video are found`() throws {
        let text = """
            WEBVTT

            00:00.000 --> 00:05.000
            sprite.jpg#xywh=0,0,160,90

            2
            00:05.000 --> 00:10.000
            sprite.jpg#xywh=160,0,160,90

            00:10.000 --> 00:15.000
            /t/2.webp

            00:15.000 --> 00:20.000
            See picture.jpg for more. x.png
            End.
            """
        let found = try FoundMedia(text, "text/vtt")
        #expect(found.paths == ["/v/sprite.jpg", "/t/2.webp"])
        #expect(found.guesses == ["/t/2.webp"])
        #expect(found.loads == [.image, .image])
        #expect(try FoundMedia(text, "application/octet-stream", at: "http://d.example/v/t.vtt").paths.count == 2)
        #expect(try FoundMedia("sprite.jpg#xywh=0,0,1,1", "text/vtt").paths == [])
        #expect(try FoundMedia(text, "text/vtt", as: .segment).paths == [])
    }
}
