kill %1
swift run offline --offline
