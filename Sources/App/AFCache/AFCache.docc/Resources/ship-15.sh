swift run garden
kill %1
