const l={},p=function(e,t,n){const r=(t||[]).map(e=>{e="/"+e;if(e in l)return;l[e]=!0;const t=e.endsWith(".css"),r=document.createElement("link");r.rel=t?"stylesheet":"modulepreload",r.crossOrigin="",r.href=e,document.head.appendChild(r);
if(t)return new Promise((t,n)=>{r.addEventListener("load",t),r.addEventListener("error",()=>n(new Error(`Unable to preload CSS for ${e}`)))})});return Promise.all(r).then(()=>e())};
export{p as _};
