import{hydrate as o}from"./chunks/framework.Dk81ZrTe.js";const __pageData=JSON.parse('{"title":"Lighthouse handbook","description":"","frontmatter":{},"headers":[],"relativePath":"index.md","filePath":"index.md"}');
const r=e=>o(e);export{__pageData,r as default};
