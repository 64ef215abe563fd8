function t(e,n){const r=e.querySelector(".tide");r.textContent=`Tide: ${n.start} fathoms`}export{t as default};
