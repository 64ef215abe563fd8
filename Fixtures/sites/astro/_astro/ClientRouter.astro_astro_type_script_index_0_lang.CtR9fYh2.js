const e=new DOMParser;
async function t(t,n){const r=await fetch(t);if(!r.ok||!/^text\/html/.test(r.headers.get("content-type"))){location.href=t;return}
const o=e.parseFromString(await r.text(),"text/html");if(!o.querySelector('[name="astro-view-transitions-enabled"]')){location.href=t;return}
n&&history.pushState({},"",r.redirected?r.url:t);for(const e of o.head.querySelectorAll("link[rel=stylesheet]"))document.head.querySelector(`link[href="${e.getAttribute("href")}"]`)||document.head.append(e);
document.title=o.title,document.body.replaceWith(o.body),document.dispatchEvent(new Event("astro:page-load"))}
document.addEventListener("click",e=>{const n=e.target.closest("a");n&&n.origin===location.origin&&!e.defaultPrevented&&(e.preventDefault(),t(n.href,!0))});
addEventListener("popstate",()=>t(location.href));
