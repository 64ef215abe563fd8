python3 -m http.server 8000 --bind localhost --directory ../site &
swift run offline
swift run offline
