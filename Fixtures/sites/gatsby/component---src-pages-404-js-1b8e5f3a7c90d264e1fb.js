(self.webpackChunkhandbook=self.webpackChunkhandbook||[]).push([[883],{9883:function(e,t,n){n.d(t,{default:function(){return r}});function r(e){return"<h1>Not found</h1>"}}}]);
