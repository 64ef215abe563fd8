"use strict";(self.webpackChunkhandbook=self.webpackChunkhandbook||[]).push([[98],{1723:(e,t,n)=>{n.d(t,{default:()=>r});const r=e=>e}}]);
