import{render as o}from"./chunks/framework.Dk81ZrTe.js";const __pageData=JSON.parse('{"title":"Storms","description":"","frontmatter":{},"headers":[],"relativePath":"storms.md","filePath":"storms.md"}');
const r=e=>o(e,'<h1>Storms</h1><p>In a gale, light the second lamp. The foghorn sounds each minute.</p>');export{__pageData,r as default};
