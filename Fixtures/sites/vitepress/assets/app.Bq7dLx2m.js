import{setup as t}from"./chunks/theme.C0pXvW3a.js";import"./chunks/framework.Dk81ZrTe.js";
const n=document.getElementById("app"),r=__VP_SITE_DATA__,o=e=>{let t=decodeURIComponent(e).slice(r.base.length).replace(/\.html$/,"");return t.endsWith("/")||(t||(t="index")),t.endsWith("/")&&(t+="index"),t.replace(/\//g,"_")+".md"};
let a=!0;async function i(e){const t=o(e);let n=__VP_HASH_MAP__[t.toLowerCase()];if(!n){try{window.__VP_HASH_MAP__=await(await fetch(r.base+"hashmap.json")).json()}catch{}n=__VP_HASH_MAP__[t.toLowerCase()]}
if(!n)return null;let i=`${r.base}assets/${t}.${n}.js`;return a&&(i=i.replace(/\.js$/,".lean.js")),a=!1,import(i)}
const s='<h1>404</h1><p>PAGE NOT FOUND</p>';
async function l(e){let t;try{t=await i(e)}catch(e){console.error(e)}const r=n.querySelector("main");t?(t.default(r),document.title=t.__pageData.title+" | Handbook"):r.innerHTML=s}
n.addEventListener("click",e=>{const t=e.target.closest("a");t&&t.origin===location.origin&&(e.preventDefault(),history.pushState({},"",t.href),l(t.pathname))});
addEventListener("popstate",()=>l(location.pathname));l(location.pathname).then(()=>t(n));
