self.__SSG_MANIFEST=new Set(["\u002F","\u002Flamps","\u002Fweather\u002F[slug]"]);self.__SSG_MANIFEST_CB&&self.__SSG_MANIFEST_CB()
