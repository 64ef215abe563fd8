!function(){"use strict";var e={},t={};
function n(r){var o=t[r];if(void 0!==o)return o.exports;var a=t[r]={exports:{}};return e[r](a,a.exports,n),a.exports}
n.m=e,n.f={},n.d=function(e,t){for(var r in t)Object.defineProperty(e,r,{enumerable:!0,get:t[r]})},
n.e=function(e){return Promise.all(Object.keys(n.f).reduce(function(t,r){return n.f[r](e,t),t},[]))},
n.u=function(e){return"static/chunks/"+e+"."+{237:"5d8e1f0ac37b9264",618:"e92c7b40d15f8a36"}[e]+".js"},
n.miniCssF=function(e){return"static/css/30b7ce95f1d28a64.css"},
n.l=function(e,t){var r=document.createElement("script");r.src=e,r.onload=r.onerror=t,document.head.appendChild(r)},
n.p="/_next/",
function(){var e={272:0};n.f.miniCss=function(t,r){e[t]?r.push(e[t]):0!==e[t]&&({237:1})[t]&&r.push(e[t]=new Promise(function(r,o){
var a=n.miniCssF(t),i=document.createElement("link");i.rel="stylesheet",i.href=n.p+a,i.onload=r,i.onerror=function(){var e=Error("Loading CSS chunk "+t+" failed.\n("+i.href+")");e.code="CSS_CHUNK_LOAD_FAILED",o(e)},document.head.appendChild(i)}).then(function(){e[t]=0}))}}(),
function(){var e={272:0};n.f.j=function(t,r){var o=e[t];if(0!==o)if(o)r.push(o[2]);else if(272!=t){var a=new Promise(function(n,r){o=e[t]=[n,r]});r.push(o[2]=a);
var i=n.p+n.u(t);n.l(i,function(){if(0!==(o=e[t])&&(e[t]=void 0,o)){var n=Error("Loading chunk "+t+" failed.\n("+i+")");n.name="ChunkLoadError",o[1](n)}})}else e[t]=0};
var t=function(t){for(var r in t[1])n.m[r]=t[1][r];t[0].forEach(function(t){e[t]&&e[t][0](),e[t]=0}),t[2]&&t[2](n)},
r=self.webpackChunk_N_E=self.webpackChunk_N_E||[];r.forEach(t),r.push=t}()}();
