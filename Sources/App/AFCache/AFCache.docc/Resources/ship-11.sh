mkdir server
echo '<h1>The oak in autumn</h1>' >site/trees/oak.html
afcache pack --folder site --base-url https://garden.example/ --name garden -o server/garden.zip
afcache keygen -o team
afcache channel new garden --key team.pub -o server/garden.channel
afcache channel add server/garden.channel server/garden.zip
afcache channel sign server/garden.channel --sign team
cp team.pub Sources/garden/
