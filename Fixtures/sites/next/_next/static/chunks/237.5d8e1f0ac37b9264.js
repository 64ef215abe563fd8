(self.webpackChunk_N_E=self.webpackChunk_N_E||[]).push([[237],{6237:function(e,t,n){n.d(t,{default:function(){return o}});
var r=fetch("/search.json").then(function(e){return e.json()});function o(e){r.then(function(t){var n=document.createElement("ul"),r=e.value.toLowerCase();
t.filter(function(e){return r&&e.text.toLowerCase().includes(r)}).forEach(function(e){n.innerHTML+='<li><a href="'+e.url+'">'+e.title+"</a></li>"}),
e.parentElement.querySelectorAll("ul").forEach(function(e){e.remove()}),e.after(n)})}}}]);
