const t="/_nuxt/lamp.Dq7Rk2Xa.svg";function n(e){return`<h1>${e.title}</h1>${e.html}<p><img src="${t}" width="16" height="16" alt=""></p>`}export{n as default};
