"use strict";(self.webpackChunkhandbook=self.webpackChunkhandbook||[]).push([[792],{
8328:(e,t,n)=>{n.d(t,{A:()=>r});const r={
"/handbook/":["1f391b9e","c4f5d8e4"],"/handbook/lamps/":["1f391b9e","3a2db09e"],"/handbook/storms/":["1f391b9e","9ed00105"]}},
2654:(e,t,n)=>{n.d(t,{A:()=>r});const r={
"1f391b9e":[()=>n.e(61).then(n.bind(n,7973)),"@theme/MDXPage",7973],
"3a2db09e":[()=>n.e(471).then(n.bind(n,1512)),"@site/src/lamps.mdx",1512],
"9ed00105":[()=>n.e(902).then(n.bind(n,4190)),"@site/src/storms.mdx",4190],
"a7bd4aaa":[()=>n.e(98).then(n.bind(n,1723)),"@theme/DocVersionRoot",1723],
"a94703ab":[()=>Promise.all([n.e(48)]).then(n.bind(n,9001)),"@theme/DocRoot",9001],
"c4f5d8e4":[()=>n.e(138).then(n.bind(n,6730)),"@site/src/index.mdx",6730]}},
5410:(e,t,n)=>{n.d(t,{D:()=>r,o:()=>o});const r="search-index{dir}.json?_=6c1e90d3",o=8},
1001:(e,t,n)=>{const r=n(8328).A,o=n(2654).A,a=document.getElementById("__docusaurus");
const i=e=>Promise.all(r[e].map(e=>o[e][0]()));
function c(e,t){const[n,r]=t;a.querySelector("main").replaceChildren(...n.default(r.default));document.title=r.default.title+" | Handbook"}
a.addEventListener("click",e=>{const t=e.target.closest("a");if(t&&r[t.pathname]&&!e.defaultPrevented){e.preventDefault();
i(t.pathname).then(e=>{history.pushState(null,"",t.href),c(t.pathname,e)})}});
addEventListener("popstate",()=>i(location.pathname).then(e=>c(location.pathname,e)));
let s;const l=a.querySelector("#search input");
l.addEventListener("focus",()=>{s||(s=n.e(237).then(n.bind(n,3237)))});
l.addEventListener("input",()=>s.then(e=>e.show(l)));
r[location.pathname]&&i(location.pathname).then(e=>{c(location.pathname,e)})}},
e=>{e(1001)}]);
