"use strict";(self.webpackChunkhandbook=self.webpackChunkhandbook||[]).push([[48],{9001:(e,t,n)=>{n.d(t,{default:()=>r});const r=e=>e}}]);
