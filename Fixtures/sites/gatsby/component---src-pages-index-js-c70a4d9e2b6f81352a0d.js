(self.webpackChunkhandbook=self.webpackChunkhandbook||[]).push([[691],{9691:function(e,t,n){n.d(t,{default:function(){return r}});function r(e){return"<h1>"+e.title+"</h1>"+e.html}}}]);
