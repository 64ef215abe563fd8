const n=e=>`<h1>${e.title}</h1>${e.html}`;export{n as component};
