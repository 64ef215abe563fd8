(()=>{"use strict";var e,t={},r={};
function o(e){var n=r[e];if(void 0!==n)return n.exports;var a=r[e]={exports:{}};return t[e](a,a.exports,o),a.exports}
o.m=t,o.d=(e,t)=>{for(var r in t)Object.defineProperty(e,r,{enumerable:!0,get:t[r]})},
o.f={},o.e=e=>Promise.all(Object.keys(o.f).reduce((t,r)=>(o.f[r](e,t),t),[])),
o.u=e=>"assets/js/"+({48:"a94703ab",61:"1f391b9e",98:"a7bd4aaa",138:"c4f5d8e4",471:"3a2db09e",902:"9ed00105"}[e]||e)+"."+{48:"b71c09e4",61:"8a6c2d11",98:"0d4f7be9",138:"e5a0c137",237:"5b1d96f2",471:"27c4e8d0",902:"f3908ab6"}[e]+".js",
o.miniCssF=e=>{},
o.l=(e,t)=>{var r=document.createElement("script");r.charset="utf-8",r.src=e,r.onload=r.onerror=t,document.head.appendChild(r)},
o.p="/handbook/",
(()=>{var e={354:0};
o.f.j=(t,r)=>{var n=e[t];if(0!==n)if(n)r.push(n[2]);else if(354!=t){var a=new Promise((r,o)=>n=e[t]=[r,o]);r.push(n[2]=a);
var i=o.p+o.u(t),c=new Error;o.l(i,r=>{if(0!==(n=e[t])&&(0!==n&&(e[t]=void 0),n)){var o=r&&("load"===r.type?"missing":r.type),
a=r&&r.target&&r.target.src;c.message="Loading chunk "+t+" failed.\n("+o+": "+a+")",c.name="ChunkLoadError",c.type=o,c.request=a,n[1](c)}})}else e[t]=0};
var t=([t,r,n])=>{for(var a in r)o.m[a]=r[a];for(var i of t)e[i]&&e[i][0](),e[i]=0;n&&n(o)},
r=self.webpackChunkhandbook=self.webpackChunkhandbook||[];r.forEach(t),r.push=t})()})();
