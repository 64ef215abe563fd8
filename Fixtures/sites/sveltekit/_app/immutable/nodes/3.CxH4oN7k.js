const n=e=>`<h1>${e.title}</h1><article>${e.html}</article>`;export{n as component};
