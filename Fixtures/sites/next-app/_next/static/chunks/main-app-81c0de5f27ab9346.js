(self.webpackChunk_N_E=self.webpackChunk_N_E||[]).push([[358],{6127:(e,t,n)=>{
const r=document.querySelector("main"),o="_rsc=1k7q2";
const a=async e=>{const t=await fetch(e+"?"+o,{headers:{rsc:"1"}});if(!t.ok)throw Error("Failed to fetch RSC payload for "+e);return t.text()};
const i=e=>JSON.parse(e.split("\n").find(e=>e.startsWith("0:")).slice(2));
const s=e=>e.endsWith("/")?e+"index.txt":e+".txt";
const c=(e,t)=>{const n="__PAGE__"===e.name?e.name:(e.param?`$${e.param.type}$`:"")+e.name,r=t+"."+n;return[r,...Object.values(e.slots||{}).flatMap(e=>c(e,r))]};
async function l(e){const t=e.replace(/\/$/,""),n=i(await a(t+"/__next._tree.txt"));
const r=["._index","._head",...Object.values(n.tree.slots).flatMap(e=>c(e,""))],o=await Promise.all(r.map(e=>a(t+"/__next"+e+".txt")));
return{title:i(o[1]).rsc.title,html:i(o[o.length-1]).rsc}}
async function u(e){const[t]=await Promise.all([l(e),a(s(e))]);document.title=t.title,r.innerHTML=t.html}
document.addEventListener("click",e=>{const t=e.target.closest("a");t&&t.origin===location.origin&&(e.preventDefault(),u(t.pathname).then(()=>history.pushState({},"",t.href),e=>{console.error(e),location.href=t.href}))});
addEventListener("popstate",()=>u(location.pathname));
const d=document.querySelector("#search");let f;
d.firstElementChild.addEventListener("input",async e=>{f=f||fetch("/search.json").then(e=>e.json());const t=e.target.value.toLowerCase(),n=(await f).filter(e=>t&&(e.title+e.text).toLowerCase().includes(t));
d.querySelectorAll("a").forEach(e=>e.remove());for(const e of n){const t=document.createElement("a");t.href=e.href,t.textContent=e.title,d.append(t)}})}}]);
(()=>{const e=self.webpackChunk_N_E,t=e[e.length-1][1][6127];"loading"===document.readyState?addEventListener("DOMContentLoaded",t):t()})();
