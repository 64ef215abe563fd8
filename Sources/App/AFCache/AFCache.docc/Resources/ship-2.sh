afcache pack --folder site --base-url https://garden.example/ -o Sources/garden/garden.zip
