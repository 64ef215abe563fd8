swift run offline --offline
