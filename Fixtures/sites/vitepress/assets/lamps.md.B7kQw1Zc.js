import{render as o}from"./chunks/framework.Dk81ZrTe.js";const __pageData=JSON.parse('{"title":"Lamps","description":"","frontmatter":{},"headers":[],"relativePath":"lamps.md","filePath":"lamps.md"}');
const r=e=>o(e,'<h1>Lamps</h1><p>Trim the wick each evening. In bad weather, see <a href="/storms.html">Storms</a>.</p>');export{__pageData,r as default};
