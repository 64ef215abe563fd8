import{hydrate as o}from"./chunks/framework.Dk81ZrTe.js";const __pageData=JSON.parse('{"title":"Storms","description":"","frontmatter":{},"headers":[],"relativePath":"storms.md","filePath":"storms.md"}');
const r=e=>o(e);export{__pageData,r as default};
