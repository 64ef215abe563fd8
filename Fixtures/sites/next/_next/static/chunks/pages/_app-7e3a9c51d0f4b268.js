(self.webpackChunk_N_E=self.webpackChunk_N_E||[]).push([[636],{1118:function(e,t,n){n.d(t,{default:function(){return o}});var r;
function o(e,t,o){var a=e.querySelector("main"),i=e.querySelector("#search input");document.title=o.title,a.innerHTML=t(o);
i.dataset.ready||(i.dataset.ready=1,i.addEventListener("focus",function(){r=r||n.e(237).then(n.bind(n,6237))}),i.addEventListener("input",function(){r.then(function(e){e.default(i)})}),
i.addEventListener("keydown",function(e){"F1"===e.key&&n.e(618).then(n.bind(n,1618))}))}}},
function(e){(window.__NEXT_P=window.__NEXT_P||[]).push(["/_app",function(){return e(1118)}])}]);
