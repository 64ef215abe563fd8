mkdir -p offline/Sources/offline site
cd offline
echo '<h1>The garden</h1>' >../site/index.html
