const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["./DyX3kq0b.js","./B1nRzv8E.js","./slug.Cw9fQ2aL.css","./BvQ6eJ0n.js","./Search.Bz4TmN6d.css"])))=>i.map(i=>d[i]);
const l={},p=function(e,t,n){const r=(t||[]).map(e=>{e=new URL(e,import.meta.url).href;if(e in l)return;l[e]=!0;const t=e.endsWith(".css"),r=document.createElement("link");r.rel=t?"stylesheet":"modulepreload",r.crossOrigin="",r.href=e,document.head.appendChild(r);
if(t)return new Promise((t,n)=>{r.addEventListener("load",t),r.addEventListener("error",()=>n(new Error(`Unable to preload CSS for ${e}`)))})});return Promise.all(r).then(()=>e())};
const a=window.__NUXT__.config.app,o=document.getElementById("__nuxt"),s={nuxt:{buildId:"5f0b7c1e-93d2-4a68-b1f4-0c7de62a9835"}};
function c(e){return a.baseURL.replace(/\/$/,"")+a.buildAssetsDir+e}
let u;function d(){return u||(u=fetch(c(`builds/meta/${s.nuxt.buildId}.json`)).then(e=>e.json())),u}
function f(e){const t=n=>{const r=e[n];if(Array.isArray(r))return"string"==typeof r[0]&&/Reactive$/.test(r[0])?t(r[1]):r.map(t);if(r&&"object"==typeof r)return Object.fromEntries(Object.entries(r).map(([e,n])=>[e,t(n)]));return r};return t(0)}
async function h(e){const t=(e.replace(/\/$/,"")||"/");if(!(await d()).prerendered.includes(t))return null;const n=await fetch(`${"/"===t?"":t}/_payload.json?${a.buildId}`);if(!n.ok)throw new Error("Cannot load payload "+n.url);return f(await n.json()).data["page-"+t]}
const m=[{name:"index",path:/^\/$/,component:()=>p(()=>import("./DyX3kq0b.js"),__vite__mapDeps([0]),import.meta.url)},{name:"slug",path:/^\/[^/]+\/?$/,component:()=>p(()=>import("./B1nRzv8E.js"),__vite__mapDeps([1,2]),import.meta.url)}];
async function v(e){const t=m.find(t=>t.path.test(e));if(!t)throw new Error("Page not found: "+e);const[n,r]=await Promise.all([t.component(),h(e)]);o.querySelector("main").innerHTML=n.default(r),document.title=r.title}
let g;const y=o.querySelector("#search input");
y.addEventListener("focus",()=>{g||(g=p(()=>import("./BvQ6eJ0n.js"),__vite__mapDeps([3,4]),import.meta.url))});
y.addEventListener("input",()=>g.then(e=>e.default(y)));
o.addEventListener("click",e=>{const t=e.target.closest("a");t&&t.origin===location.origin&&(e.preventDefault(),v(t.pathname).then(()=>history.pushState({},"",t.href)))});
addEventListener("popstate",()=>v(location.pathname));v(location.pathname);
