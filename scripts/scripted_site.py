"""A site whose scripts use what an exported file has to make up for: the fixture of 'scripts/test-exports scripts'."""

PAGE = r"""<!doctype html><html><head><meta charset=utf-8><title>Home</title>
<script type=importmap>{"imports": {"lib/": "./js/lib/", "one": "./js/one.js"}}</script>
<script>
  window.log = [];
  const note = (name, value) => log.push(name + ': ' + value);
  addEventListener('hashchange', event => note('hashchange', new URL(event.oldURL).hash + ' ' + new URL(event.newURL).hash));
  // Texts that look like what is replaced in scripts, and a method of that name.
  note('text', "write import('./x.js') or from './y.js' and import.meta.url".length > 50);
  note('method', {import(a){return a + 1}}.import(1));
  note('location', window.location.pathname + ' ' + location.protocol);
  const location$ = 4;
  note('name', location$);
  localStorage.setItem('a', 1);
  note('storage', localStorage.getItem('a') + localStorage.length);
  try { for (let i = 0; i < 3000; i++) localStorage.setItem('k' + i, 'v'); } catch (error) { note('quota', error.name); }
  localStorage.setItem('k1', 'w');
  note('full', localStorage.k1);
  localStorage.clear();
  document.cookie = 'c=1';
  note('cookie', document.cookie);
  history.pushState({s: 2}, '', '?pushed');
  note('state', history.state.s + location.search);
  history.pushState(null, '', '/');
  const request = name => { const made = new XMLHttpRequest; made.open('GET', 'data.json'); made.onload = () => note(name, JSON.parse(made.responseText).a); made.send(); return made; };
  request('request');
  request('aborted').abort();
  fetch('data.json').then(answer => answer.json()).then(data => note('fetch', data.a));
  fetch('none.json').catch(error => note('missing', error.name));
  note('kinds', [new Audio instanceof HTMLAudioElement, typeof RTCPeerConnection, typeof indexedDB]);
  const worker = new Worker('js/worker.js');
  worker.onmessage = event => note('worker', event.data);
  worker.postMessage(20);
  const script = document.createElement('script');
  script.onload = () => note('loaded', script.getAttribute('src').endsWith('/js/classic.js'));
  script.src = 'js/classic.js';
  document.head.append(script);
</script>
<script type=module>
  import {a} from "lib/a.js"; import one from "one";
  note('module', a + one);
  const late = await import('./js/late.js');
  note('late', late.default + late.url.split('/').pop());
</script>
<body><p>Write &lt;meta http-equiv="refresh"&gt;</p><a id=part-link href="#part">Part</a> <a id=guide href=guide>Guide</a>
<iframe src=frame.html></iframe><div style="height: 3000px"></div><h2 id=part>Part</h2>
"""
FILES = {
    "index.html": PAGE, "frame.html": "<title>Inner</title><a id=inner href=guide/>Guide</a>",
    "guide/index.html": "<title>Guide</title><p>A guide.", "data.json": '{"a": 3}',
    "js/lib/a.js": 'import "./b.js"; export const a = 5', "js/lib/b.js": "note('inner', import.meta.url.split('/').pop())",
    "js/one.js": "export default 7", "js/late.js": 'import {a} from "./lib/a.js"; export default "late" + a; export const url = import.meta.url',
    "js/worker.js": "importScripts('plus.js'); onmessage = event => postMessage(plus(event.data))", "js/plus.js": "var plus = a => a + 1",
    "js/classic.js": "note('classic', document.currentScript.src.split('/').pop())",
}
# What the page's scripts note, in any order.
NOTES = {
    "text: true", "method: 2", "location: / https:", "name: 4", "storage: 11", "quota: QuotaExceededError", "full: w", "cookie: c=1", "state: 2?pushed",
    "request: 3", "fetch: 3", "missing: TypeError", "kinds: true,undefined,undefined", "worker: 21", "classic: classic.js", "loaded: true", "inner: b.js",
    "module: 12", "late: late5late.js",
}
# The beginning of the text that a reader sees.
TEXT = 'Write <meta http-equiv="refresh">'
