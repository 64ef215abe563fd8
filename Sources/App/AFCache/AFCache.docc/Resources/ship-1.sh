mkdir -p garden/Sources/garden garden/site/trees
cd garden
echo '<h1>The garden</h1> <a href="trees/oak.html">The oak</a>' >site/index.html
echo '<h1>The oak</h1>' >site/trees/oak.html
