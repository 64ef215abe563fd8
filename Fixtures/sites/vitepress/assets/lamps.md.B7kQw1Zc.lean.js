import{hydrate as o}from"./chunks/framework.Dk81ZrTe.js";const __pageData=JSON.parse('{"title":"Lamps","description":"","frontmatter":{},"headers":[],"relativePath":"lamps.md","filePath":"lamps.md"}');
const r=e=>o(e);export{__pageData,r as default};
