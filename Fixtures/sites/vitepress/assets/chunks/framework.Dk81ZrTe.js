const a=e=>{if(!e.querySelector("h1"))throw new Error("Hydration completed but contains mismatches.")},b=(e,t)=>{e.innerHTML=t};export{a as hydrate,b as render};
