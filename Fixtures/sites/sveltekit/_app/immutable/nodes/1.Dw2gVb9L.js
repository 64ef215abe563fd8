const n=e=>`<h1>${e.title}</h1>`;export{n as component};
