(self.webpackChunk_N_E=self.webpackChunk_N_E||[]).push([[179],{2563:function(e,t,n){
var r=document.getElementById("__next"),o=JSON.parse(document.getElementById("__NEXT_DATA__").textContent),a={},i={};
function s(e){return i[e]||(i[e]={},i[e].promise=new Promise(function(t){i[e].resolve=t})),i[e]}
function c(e){a[e[0]]=e[1](),s(e[0]).resolve(a[e[0]])}
var l=window.__NEXT_P=window.__NEXT_P||[];l.forEach(c),l.push=c;
var u=self.__BUILD_MANIFEST?Promise.resolve(self.__BUILD_MANIFEST):new Promise(function(e){self.__BUILD_MANIFEST_CB=function(){e(self.__BUILD_MANIFEST)}});
function d(e){if(document.querySelector('[src="'+e+'"],[href="'+e+'"]'))return Promise.resolve();return new Promise(function(t,n){var r=e.endsWith(".css"),o=document.createElement(r?"link":"script");
r?(o.rel="stylesheet",o.href=e):o.src=e,o.onload=t,o.onerror=function(){n(Error("Failed to load "+(r?"stylesheet":"script")+": "+e))},document.head.appendChild(o)})}
function f(e,t){return e.sortedPages.find(function(e){return RegExp("^"+e.replace(/\[.*?\]/g,"[^/]+")+"$").test(t)})}
function p(e){return u.then(function(t){var i=f(t,e);if(!i){location.href=e;return}
return Promise.all([fetch("/_next/data/"+o.buildId+("/"===e?"/index":e)+".json",{headers:{"x-nextjs-data":"1"}}).then(function(e){if(!e.ok)throw Error("Failed to load static props");return e.json()}),
Promise.all(t[i].map(function(e){return d("/_next/"+encodeURI(e).replace(/\[/g,"%5B").replace(/\]/g,"%5D"))})).then(function(){return s(i).promise})])}).then(function(e){e&&h(e[1],e[0].pageProps)})}
function h(e,t){a["/_app"].default(r,e.default,t)}
r.addEventListener("click",function(e){var t=e.target.closest("a");t&&t.origin===location.origin&&(e.preventDefault(),p(t.pathname).then(function(){history.pushState({},"",t.href)},function(e){console.error(e),location.href=t.href}))});
addEventListener("popstate",function(){p(location.pathname)});
Promise.all([s("/_app").promise,s(o.page).promise]).then(function(e){h(e[1],o.props.pageProps)})}},function(e){e(2563)}]);
