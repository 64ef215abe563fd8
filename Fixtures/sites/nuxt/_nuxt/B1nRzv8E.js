function n(e){return`<h1>${e.title}</h1><article>${e.html}</article>`}export{n as default};
