import{s}from"../chunks/BqT2hL7x.js";export{s as start};
