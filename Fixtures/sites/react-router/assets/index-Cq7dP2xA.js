const routes={"/":()=>import("./home-B1x9Lw4e.js"),"/lamps":()=>import("./lamps-DkT30f8s.js"),"/storms":()=>import("./storms-CyW6n1Qv.js")};
const root=document.getElementById("root");
root.innerHTML='<nav id="search"><input type="search" placeholder="Search"><ul></ul></nav><main></main>';
const [main,field,list]=["main","input","ul"].map(name=>root.querySelector(name));
async function show(){const route=routes[location.pathname];
  main.innerHTML=route?(await route()).default:"<h1>No such page</h1>";document.title=main.querySelector("h1").textContent}
addEventListener("popstate",show);
addEventListener("click",event=>{const link=event.target.closest("a");
  if(link&&link.origin==location.origin){event.preventDefault();history.pushState(null,"",link.href);list.innerHTML="";show()}});
field.addEventListener("input",async()=>{const index=await (await fetch("/assets/search.json")).json(),word=field.value.toLowerCase();
  list.innerHTML=word?index.filter(page=>page.text.toLowerCase().includes(word)).map(page=>`<li><a href="${page.url}">${page.title}</a></li>`).join(""):""});
show();
