afcache pack --folder site --base-url https://garden.example/ --name garden -o Sources/garden/garden.zip
