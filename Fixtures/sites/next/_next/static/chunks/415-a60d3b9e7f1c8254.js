(self.webpackChunk_N_E=self.webpackChunk_N_E||[]).push([[415],{5415:function(e,t,n){n.d(t,{Z:function(){return r}});function r(e){return"<h1>"+e.title+"</h1><article>"+e.html+"</article>"}}}]);
