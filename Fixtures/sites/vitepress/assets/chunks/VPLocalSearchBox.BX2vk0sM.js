import{_ as c}from"./theme.C0pXvW3a.js";import"./framework.Dk81ZrTe.js";
const i={root:()=>c(()=>import("./@localSearchIndexroot.Bk3Vx7cR.js"),[])};let o;
async function r(e){o||(o=i.root().then(e=>JSON.parse(e.default)));const t=await o,n=document.createElement("ul");n.className="VPLocalSearchBox";
const a=e.value.toLowerCase();for(const[e,r]of Object.entries(t.storedFields))if(a&&r.text.toLowerCase().includes(a)){const a=document.createElement("a"),o=document.createElement("li");a.href=t.documentIds[e],a.textContent=r.title,o.append(a),n.append(o)}
e.parentElement.querySelectorAll("ul").forEach(e=>e.remove()),e.after(n)}
export{r as default};
