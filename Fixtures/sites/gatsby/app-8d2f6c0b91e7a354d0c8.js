(self.webpackChunkhandbook=self.webpackChunkhandbook||[]).push([[524],{6947:function(e,t,n){t.components={
"component---src-pages-404-js":function(){return n.e(883).then(n.bind(n,9883))},"component---src-pages-index-js":function(){return n.e(691).then(n.bind(n,9691))},"component---src-templates-page-js":function(){return n.e(218).then(n.bind(n,9218))}}},
1524:function(e,t,n){var r=n(6947).components,o={},a=document.getElementById("gatsby-focus-wrapper");
function i(e){return fetch(e).then(function(t){if(!t.ok)throw new Error("page resources for "+e+" not found. Not rendering React");return t.json()})}
function s(e){var t="/"===e?"index":e.replace(/^\/|\/$/g,"");return i("/page-data/"+t+"/page-data.json").then(function(e){return Promise.all([r[e.componentChunkName](),i("/page-data/app-data.json")].concat(e.staticQueryHashes.map(function(e){return o[e]||(o[e]=i("/page-data/sq/d/"+e+".json"))}))).then(function(t){return{page:e,component:t[0],queries:t.slice(2)}})})}
function c(e){a.querySelector("main").innerHTML=e.component.default(e.page.result.data),document.title=e.page.result.data.title}
var l,u=a.querySelector("#search input");
u.addEventListener("focus",function(){l=l||n.e(237).then(n.bind(n,1237))}),u.addEventListener("input",function(){Promise.all([l,o[3649515864]]).then(function(e){e[0].default(u,e[1].data.localSearchPages.store)})}),
a.addEventListener("click",function(e){var t=e.target.closest("a");t&&t.origin===location.origin&&(e.preventDefault(),s(t.pathname).then(function(e){history.pushState({},"",t.href),c(e)}))}),
addEventListener("popstate",function(){s(location.pathname).then(c)}),s(window.pagePath).then(c)}},function(e){e(1524)}]);
