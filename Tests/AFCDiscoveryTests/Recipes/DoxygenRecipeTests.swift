import Testing

@testable import AFCDiscovery

struct DoxygenRecipeTests {
    private static let searchData = """
        var indexSectionsWithContent =
        {
          0: "abcdefghijklmnop\\"",
          1: "é"
        };

        var indexSectionNames =
        {
          0: "all",
          1: "classes"
        };

        var indexSectionLabels =
        {
          0: "All",
          1: "Classes"
        };
        """

    @Test func `each first letter has a script`() throws {
        let found = try FoundByRecipes(.doxygen, in: Self.searchData, at: "http://d.example/api/search/searchdata.js")
        let digits = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e", "f", "10"]
        let expected = digits.map { "all_\($0).js" } + ["classes_0.js"]
        #expect(found.urls == expected.map { "http://d.example/api/search/" + $0 })
        #expect(found.guesses == [])
        #expect(found.loads["http://d.example/api/search/all_0.js"] == .script)
    }

    @Test(arguments: [
        ("/api/searchdata.js", searchData),
        ("/search/searchdata.js", "var indexSectionsWithContent = {0: 'ab'}; var indexSectionNames = {}"),
        ("/search/searchdata.js", "var indexSectionsWithContent = {0: 'ab'}; var indexSectionNames = {0: '../x'}"),
        ("/search/search.js", "loadJS(this.resultsPath + '.js')"),
    ])
    func `other scripts name nothing`(path: String, script: String) throws {
        let found = try FoundByRecipes(.doxygen, in: script, at: "http://d.example" + path)
        #expect(found.urls + found.guesses == [])
    }

    @Test func `a section has a limited number of letters`() throws {
        let letters = String(repeating: "a", count: 10_000)
        let script = "var indexSectionsWithContent = {0: '\(letters)'}; var indexSectionNames = {0: 'all'}"
        let found = try FoundByRecipes(.doxygen, in: script, at: "http://d.example/search/searchdata.js")
        #expect(found.urls.count == 8192)
    }

    @Test func `the search of old releases loads pages`() throws {
        let script = "resultsPage = this.resultsPath + '/nomatches' + this.extension;"
        let found = try FoundByRecipes(.doxygen, in: script, at: "http://d.example/search/search.js")
        #expect(found.urls == ["http://d.example/search/nomatches.html"])
        #expect(found.guesses == ["http://d.example/search/all_0.html"])
    }

    @Test(arguments: [
        ("all_9.html", ["http://d.example/search/all_a.html"]),
        ("all_ff.html", ["http://d.example/search/all_100.html"]),
        ("all_.html", []), ("all_x.html", []), ("all_-1.html", []), ("all_2000.html", []), ("classes_0.html", []),
    ])
    func `each page of results leads to the next`(name: String, expected: [String]) throws {
        let page = "<script src=search.js></script><p>Loading"
        let url = "http://d.example/search/" + name
        #expect(try FoundByRecipes(.doxygen, in: page, "text/html", as: .document, at: url).guesses == expected)
        #expect(try FoundByRecipes(.doxygen, in: "<p>", "text/html", as: .document, at: url).guesses == [])
    }

    @Test(arguments: [
        (
            "menu.js",
            #"'<img src="'+relPath+'search/mag_sel.svg" id=x/>'+'<img src="'+relPath+'search/close.svg" alt=""/>'"#,
            ["search/mag_sel.svg", "search/close.svg"]
        ),
        ("navtree.js", #"n.html('<img src="'+relpath+'sync_on.png" title=x>')"#, ["sync_on.png"]),
        ("menu.js", "'search/close.", []), ("menu.js", "'search/close.html\"'", []),
        ("other.js", "'sync_on.png\"'", []),
    ])
    func `a script names images in markup`(name: String, script: String, expected: [String]) throws {
        let found = try FoundByRecipes(.doxygen, in: script, at: "http://d.example/a/" + name)
        #expect(found.urls == expected.map { "http://d.example/a/" + $0 })
    }

    private static let navigation = """
        /* license */
        var NAVTREE =
        [
          [ "Project", "index.html", [
            [ "Guide", "md_guide.html", null ],
            [ "Classes", "annotated.html", [
              [ "List", "annotated.html", "annotated_dup" ],
              [ "Index", "classes.html", null ]
            ] ],
            [ "Files", "files.html", "dir/files_dup" ]
          ] ]
        ];

        var NAVTREEINDEX =
        [
        "annotated.html",
        "struct_b.html"
        ];

        var SYNCONMSG = 'click to disable';
        """

    @Test func `the navigation names its branches, pages and indexes`() throws {
        let found = try FoundByRecipes(.doxygen, in: Self.navigation, at: "http://d.example/api/navtreedata.js")
        let expected = [
            "annotated_dup.js", "dir/files_dup.js", "index.html", "md_guide.html", "annotated.html", "classes.html",
            "files.html", "navtreeindex0.js", "navtreeindex1.js",
        ]
        #expect(found.urls == expected.map { "http://d.example/api/" + $0 })
    }

    @Test(arguments: [
        (
            "menudata.js",
            """
            var menudata={children:[
            {text:"Main.html",url:"index.html"},
            {text:"Classes",url:"annotated.html",children:[
            {text:"C",url:"functions.html#index_c"},{text:"D",url:"functions.html#index_d"}]},
            {text:"Source",url:"https://code.example/"}]}
            """,
            ["index.html", "annotated.html", "functions.html"]
        ),
        (
            "navtreeindex12.js",
            "var NAVTREEINDEX12 =\n{\n\"a.html\":[1,0],\n\"b.html\":[],\n\"b.html#x\":[1,\"c.html\"]\n};",
            ["a.html", "b.html"]
        ),
        ("menudata.js", "var other={url:'a.html'}", []), ("navtreeindex.js", "var other={'a.html':[]}", []),
        ("menudata.js", "var menudata={children:[{text:'x',url:'javascript:void(0)'}]}", []),
    ])
    func `tables lead to pages`(name: String, script: String, expected: [String]) throws {
        let found = try FoundByRecipes(.doxygen, in: script, at: "http://d.example/a/" + name)
        #expect(found.urls == expected.map { "http://d.example/a/" + $0 })
        #expect(found.loads.values.allSatisfy { $0 == .document })
        try readEveryPrefix(.doxygen, of: script, at: "http://d.example/a/" + name)
    }

    private static let branch = """
        var class_my_1_1_a_b =
        [
            [ "Inner", "struct_inner.html", "struct_inner" ],
            [ "f", "class.html#a1", null ],
            [ "g", "class.html#a2", [
              [ "h", "class.html#a3", "deep" ]
            ] ]
        ];
        """

    @Test(arguments: [
        ("class_my_1_1_a_b.js", ["struct_inner.js", "deep.js", "struct_inner.html", "class.html"]),
        ("class_my_1_1_a-b.js", ["struct_inner.js", "deep.js", "struct_inner.html", "class.html"]),
        ("other.js", []),
    ])
    func `a branch names further branches`(name: String, expected: [String]) throws {
        let found = try FoundByRecipes(.doxygen, in: Self.branch, at: "http://d.example/" + name)
        #expect(found.urls == expected.map { "http://d.example/" + $0 })
    }

    @Test func `a cut text is read`() throws {
        try readEveryPrefix(.doxygen, of: Self.searchData, at: "http://d.example/search/searchdata.js")
        try readEveryPrefix(.doxygen, of: Self.navigation, at: "http://d.example/navtreedata.js")
        try readEveryPrefix(.doxygen, of: Self.branch, at: "http://d.example/class_my_1_1_a_b.js")
    }
}
