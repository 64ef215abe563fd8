import Testing

@testable import AFCDiscovery

struct RPGMakerRecipeTests {
    private func found(_ text: String, at path: String) throws -> FoundByRecipes {
        let isScript = path.hasSuffix(".js")
        return try FoundByRecipes(
            .rpgMaker,
            in: text,
            isScript ? "text/javascript" : "application/json",
            as: isScript ? .script : .other,
            at: "http://d.example/g/" + path
        )
    }

    private func paths(_ urls: [String]) -> [String] { urls.map { String($0.dropFirst("http://d.example/g/".count)) } }

    @Test func `the managers load the data, and the list of maps names theirs`() throws {
        let managers = try found("DataManager._databaseFiles = []", at: "js/rmmz_managers.js")
        #expect(paths(managers.urls).contains("data/System.json") && managers.urls.count == 14)
        #expect(paths(managers.guesses).contains("img/system/Window.png"))
        let maps = try found(#"[null,{"id":1,"name":"A"},null,{"id":12,"name":"B"}]"#, at: "data/MapInfos.json")
        #expect(paths(maps.urls) == ["data/Map001.json", "data/Map012.json"])
    }

    @Test func `plugins that are on are loaded`() throws {
        let text =
            #"var $plugins = [{"name":"A","status":true,"parameters":{"status":"true"}},{"name":"B","status":false}];"#
        #expect(paths(try found("// x\n" + text, at: "js/plugins.js").guesses) == ["js/plugins/A.js"])
    }

    @Test(arguments: [
        (
            "data/Map001.json",
            #"{"bgm":{"name":"Field 1","pitch":100},"battleback1Name":"Grass","parallaxName":"","events":[null,{"id":1,"pages":[{"image":{"characterIndex":0,"characterName":"$Big"},"list":[{"code":101,"indent":0,"parameters":["Face1",0]},{"code":231,"parameters":[1,"Pic"]},{"code":250,"parameters":[{"name":"Bell","volume":90}]},{"code":401,"parameters":["Hello"]},{"code":205,"parameters":[0,{"list":[{"code":44,"parameters":[{"name":"Jump"}]},{"code":41,"parameters":["Actor1",0]}]}]}]}]}]}"#,
            [
                "audio/bgm/Field%201.ogg", "img/battlebacks1/Grass.png", "img/characters/%24Big.png",
                "img/faces/Face1.png", "img/pictures/Pic.png", "audio/se/Bell.ogg", "audio/se/Jump.ogg",
                "img/characters/Actor1.png",
            ]
        ),
        (
            "data/Enemies.json", #"[null,{"battlerName":"Bat","name":"Bat"}]"#,
            ["img/enemies/Bat.png", "img/sv_enemies/Bat.png"]
        ),
        (
            "data/Tilesets.json", #"[null,{"tilesetNames":["A1","","B"]}]"#,
            ["img/tilesets/A1.png", "img/tilesets/B.png"]
        ),
        (
            "data/System.json",
            #"{"advanced":{"mainFontFilename":"a b.woff"},"titleBgm":{"name":"Theme"},"title1Name":"Sky","battlerName":"X"}"#,
            ["fonts/a%20b.woff", "audio/bgm/Theme.ogg", "img/titles1/Sky.png"]
        ),
        ("data/Other.json", #"{"characterName":"A"}"#, []), ("x/Actors.json", #"[{"faceName":"A"}]"#, []),
        ("data/Actors.json", #"[{"faceName":"A"},"#, ["img/faces/A.png"]), ("data/Actors.json", "]", []),
    ])
    func `names in data are those of pictures and sounds`(file: String, text: String, expected: [String]) throws {
        #expect(paths(try found(text, at: file).guesses) == expected)
    }
}
