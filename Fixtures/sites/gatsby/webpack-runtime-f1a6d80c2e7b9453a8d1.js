!function(){"use strict";var e={},t={};
function n(r){var o=t[r];if(void 0!==o)return o.exports;var a=t[r]={exports:{}};return e[r](a,a.exports,n),a.exports}
n.m=e,n.f={},n.d=function(e,t){for(var r in t)Object.defineProperty(e,r,{enumerable:!0,get:t[r]})},
n.e=function(e){return Promise.all(Object.keys(n.f).reduce(function(t,r){return n.f[r](e,t),t},[]))},
n.u=function(e){return({237:"search",218:"component---src-templates-page-js",691:"component---src-pages-index-js",883:"component---src-pages-404-js"}[e]||e)+"-"+{218:"5e91d3f7a0c8b4260f7e",237:"a40f7d2c9b1e8536c07a",691:"c70a4d9e2b6f81352a0d",883:"1b8e5f3a7c90d264e1fb"}[e]+".js"},
n.miniCssF=function(e){return"styles.9c0d.css"},
n.l=function(e,t){var r=document.createElement("script");r.src=e,r.onload=r.onerror=t,document.head.appendChild(r)},
n.p="/",
function(){var e={658:0};n.f.j=function(t,r){var o=e[t];if(0!==o)if(o)r.push(o[2]);else if(658!=t){var a=new Promise(function(n,r){o=e[t]=[n,r]});r.push(o[2]=a);
var i=n.p+n.u(t);n.l(i,function(){if(0!==(o=e[t])&&(e[t]=void 0,o)){var n=new Error("Loading chunk "+t+" failed.\n("+i+")");n.name="ChunkLoadError",o[1](n)}})}else e[t]=0};
var t=function(t){for(var r in t[1])n.m[r]=t[1][r];t[0].forEach(function(t){e[t]&&e[t][0](),e[t]=0}),t[2]&&t[2](n)},
r=self.webpackChunkhandbook=self.webpackChunkhandbook||[];r.forEach(t),r.push=t}()}();
