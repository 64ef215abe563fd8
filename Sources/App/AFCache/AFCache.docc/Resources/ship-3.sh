afcache lint Sources/garden/garden.zip
