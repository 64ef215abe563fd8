const n=e=>(t,n)=>{e.hasAttribute("ssr")&&t(e,n)};export{n as default};
