(self.webpackChunk_N_E=self.webpackChunk_N_E||[]).push([[618],{1618:function(e,t,n){n.d(t,{default:function(){return r}});var r="Help"}}]);
