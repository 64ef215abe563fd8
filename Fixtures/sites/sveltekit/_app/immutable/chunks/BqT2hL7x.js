const a="1763850000000",b=globalThis.__sveltekit_1q7x0ab?.base??"";
let o,r,c,u={};
function i(e){const t=e.slice(b.length)||"/";if("/"===t)return{route:"/",id:t};if(/^\/[^/]+$/.test(t))return{route:"/[slug]",id:t}}
function h(e){const t=n=>{const o=e[n];return o&&"object"==typeof o?Object.fromEntries(Object.entries(o).map(([e,n])=>[e,t(n)])):o};return t(0)}
async function d(e){const t=new URL(e);t.pathname=t.pathname.replace(/\/$/,"")+"/__data.json";t.searchParams.append("x-sveltekit-invalidated","01");const n=await fetch(t.href);if(!n.ok)throw new Error("Failed to load "+t.pathname);return(await n.json()).nodes.map(e=>e?h(e.data):null)}
async function l(e){const t=i(e.pathname);if(!t){location.href=e.href;return}const n=~o.dictionary[t.route][0],[s,f,m]=await Promise.all([o.nodes[0](),o.nodes[n](),d(e)]);return{layout:s,page:f,data:m[1],url:e}}
function f(e){r.querySelector("main").innerHTML=e.page.component(e.data),document.title=e.data.title}
async function g(e,t){try{const n=await l(e);n&&(t&&history.pushState({},"",e.href),f(n))}catch(n){console.error(n);const t=await o.nodes[1]();f({page:t,data:{title:"Error"}})}}
async function s(e,t,n){o=e,r=t;const[s,l]=await Promise.all(n.node_ids.map(e=>o.nodes[e]()));s.component(r),f({page:l,data:n.data[1].data});
t.addEventListener("click",e=>{const t=e.target.closest("a");t&&t.origin===location.origin&&(e.preventDefault(),g(new URL(t.href),!0))});
addEventListener("popstate",()=>g(new URL(location.href)));c=setInterval(()=>fetch(`${b}/_app/version.json`),36e5)}
export{s};
