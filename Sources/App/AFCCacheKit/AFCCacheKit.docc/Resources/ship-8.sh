swift run garden
