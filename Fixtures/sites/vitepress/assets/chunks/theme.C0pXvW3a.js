const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["assets/chunks/VPLocalSearchBox.BX2vk0sM.js","assets/chunks/framework.Dk81ZrTe.js","assets/VPLocalSearchBox.DoI9hLQ4.css"])))=>i.map(i=>d[i]);
import"./framework.Dk81ZrTe.js";
const l={},c=function(e,t){const n=(t||[]).map(e=>{e="/"+e;if(e in l)return;l[e]=!0;const t=e.endsWith(".css"),n=document.createElement("link");n.rel=t?"stylesheet":"modulepreload",n.href=e,document.head.appendChild(n);
if(t)return new Promise((t,r)=>{n.addEventListener("load",t),n.addEventListener("error",()=>r(new Error(`Unable to preload CSS for ${e}`)))})});return Promise.all(n).then(()=>e())};
let s;function d(e){const t=e.querySelector("#search input");t.addEventListener("focus",()=>{s||(s=c(()=>import("./VPLocalSearchBox.BX2vk0sM.js"),__vite__mapDeps([0,1,2])))});t.addEventListener("input",()=>s.then(e=>e.default(t)))}
export{c as _,d as setup};
