(self.webpackChunkhandbook=self.webpackChunkhandbook||[]).push([[237],{1237:function(e,t,n){n.d(t,{default:function(){return r}});
function r(e,t){var n=document.createElement("ul"),r=e.value.toLowerCase();t.filter(function(e){return r&&e.text.toLowerCase().includes(r)}).forEach(function(e){n.innerHTML+='<li><a href="'+e.url+'">'+e.title+"</a></li>"}),
e.parentElement.querySelectorAll("ul").forEach(function(e){e.remove()}),e.after(n)}}}]);
