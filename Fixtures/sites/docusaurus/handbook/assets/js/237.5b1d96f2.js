"use strict";(self.webpackChunkhandbook=self.webpackChunkhandbook||[]).push([[237],{
3237:(e,t,n)=>{n.d(t,{show:()=>a});const r=n(5410),o=fetch(`${n.p}${r.D.replace("{dir}","")}`).then(e=>e.json());
function a(e){o.then(t=>{e.parentElement.querySelectorAll("div").forEach(e=>e.remove());
const n=document.createElement("div"),a=e.value.toLowerCase();
a&&t[0].documents.filter(e=>e.s.toLowerCase().includes(a)).slice(0,r.o).forEach(e=>{const t=document.createElement("a");t.href=e.u,t.textContent=e.t,n.append(t)});
e.after(n)})}}}]);
