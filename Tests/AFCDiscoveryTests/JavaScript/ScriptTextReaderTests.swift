import AFCURL
import TestSupport
import Testing

@testable import AFCDiscovery

struct ScriptTextReaderTests {
    /// A line of a script, and its texts: `!` loaded or `?` named; the head: nothing, `*` unknown, `@` the script's
    /// folder; the tail.
    static let lines: [(String, String)] = [
        // Functions that load.
        ("fetch('list.json')", "!list.json"),
        ("fetch(\"./a/list.json\").then(f)", "!a/list.json"),
        ("fetch(`/data/items.csv`)", "!/data/items.csv"),
        ("window.fetch('a.txt')", "!a.txt"),
        ("(0,t.fetch)('a.txt')", "!a.txt"),
        ("await fetch('a/b.html',{cache:'no-store'})", "!a/b.html"),
        ("x.open('GET','/idx.xml')", "!/idx.xml"),
        ("x.open('GET',b+'idx.xml',true)", "!*idx.xml"),
        ("window.open('a.html')", ""),
        ("$.getJSON('a.json',f)", "!a.json"),
        ("jQuery.get('nav.html')", "!nav.html"),
        ("$.ajax({url:'/q.json',dataType:'json'})", "!/q.json"),
        ("axios.get('a.json')", "!a.json"),
        ("axios('a.json')", "!a.json"),
        ("d3.csv('flights.csv',f)", "!flights.csv"),
        ("d3.json(u+'a.json')", "!*a.json"),
        ("v.csv('flights.csv')", "?flights.csv"),
        ("player.initialize(video, 'v/main.mpd', true)", "?v/main.mpd"), ("play('a.m3u8?t=1')", "?a.m3u8"),
        ("this.load.image('sky','assets/sky.png')", "!assets/sky.png"),
        ("e.load.atlas('gulls','a/gulls.png','a/gulls.json')", "!a/gulls.png !a/gulls.json"),
        ("this.load.audio('horn',['a/horn.ogg','a/horn.mp3'])", "!a/horn.ogg !a/horn.mp3"),
        ("x.image('sky','a/sky.png');x.audio('horn','a/horn.ogg')", "?a/sky.png ?a/horn.ogg"),
        // All of an argument of a function that loads may have any suffix.
        ("fetch('s/blur.wgsl')", "!s/blur.wgsl"), ("fetch('code.c',{cache:'no-store'})", "!code.c"),
        ("x.open('GET','m/net.gguf')", "!m/net.gguf"), ("fetch(b+'code.c')", ""), ("f('code.c')", ""),
        ("fetch('v1.0')", ""), ("fetch('a.b/c')", ""), ("fetch('code.c'+q)", ""),
        ("c.audioWorklet.addModule('w/p.js')", "!w/p.js"), ("System.import('./j/a.js')", "!j/a.js"),
        ("x.import('./j/a.js')", ""), ("System.register([],function(x){x.import('./j/a.js')})", "!@j/a.js"),
        ("r.when('/',{templateUrl:'views/main.html'})", "!views/main.html"),
        // Templates of frameworks.
        ("[['width','512','src','img/a.svg']]", "!img/a.svg"), ("[14,'src','img/g.png']", "!img/g.png"),
        ("['src',b,'img/g.png']", ""), ("['src','a.svg']", ""), ("['alt','img/g.png']", ""),
        // Whole paths of images and media, wherever they are used.
        ("new buzz.sound('s/a.ogg');x=['i/a.png','b.png']", "?s/a.ogg ?i/a.png"),
        ("x=a?'i/a.png':'i/b.png'", "?i/a.png ?i/b.png"),
        ("function f(){return 'i/a.png'}", "?i/a.png"), ("'i/a.png';{'i/b.png'};x.alt='i/c.png'", ""),
        ("x='i/a.png'+b;y=b+'i/b.png';z='i/c d.png';console.log('i/e.png')", ""),
        ("x={a:'i/b.png','c':'i/d.png'}", "?i/b.png ?i/d.png"),
        // The addresses of i18next, for each language and namespace of its options.
        (
            "i.init({fallbackLng:'en',backend:{loadPath:'/locales/{{lng}}/{{ns}}.json'}})",
            "?/locales/en/translation.json"
        ),
        (
            "i.init({supportedLngs:['de-CH','en','cimode'],ns:['a','b'],defaultNS:'a'});p=b+'l/{{lng}}/{{ns}}.json'",
            "?*l/de-CH/a.json ?*l/de-CH/b.json ?*l/de/a.json ?*l/de/b.json ?*l/en/a.json ?*l/en/b.json"
        ),
        (
            "d={loadPath:'./l/{{lng}}.json'};i.init({fallbackLng:{default:['en'],'pt-BR':['pt']},lng:q||'fr',keySeparator:'x'})",
            "?l/en.json ?l/pt-BR.json ?l/pt.json ?l/fr.json"
        ),
        ("p='/l/{{lng}}/{{ns}}.json'", "?/l/en/translation.json"), ("p='/l/{{lang}}.json'", ""),
        ("p='/l/{{lng}}/{{x}}.json'", ""),
        // The folder that a loader was given.
        ("new L().setPath('m/').load('a.glb',f)", "!m/a.glb"),
        ("l.setPath('m/');l.load('a.glb');k.load('b.glb')", "!m/a.glb !b.glb"),
        ("new L().setPath('m/').load(['a.png','b.png'])", "!m/a.png !m/b.png"),
        ("l.setPath(b);l.load('a.glb')", "!a.glb"),
        ("l.setPath('m/').load('/a.glb')", "!/a.glb"), ("l.setPath('m/')\nk.load('b.glb')", "!b.glb"),
        ("l.setPath('m/')\nload('b.glb')", "!b.glb"),
        // A function that makes an address of a name.
        ("fetch(r('s/index.bin'))", "!s/index.bin"), ("fetch(r(b,'index.bin'))", "!index.bin"),
        ("r('s/index.bin')", ""),
        ("fetch(r(1,2,'index.bin'))", ""), ("fetch(x.includes('index.bin'))", ""),
        ("t('<div><img src=img/s.png>')", "!img/s.png"), ("t(`<p class=${a}><img src=\"i/s.png\">`)", "!i/s.png"),
        ("t('a < b src=x.png')", ""), ("e.error('<img src=x.png>')", ""),
        ("c=[{image:'img/x.png',title:'a/b.png'},{thumb:'x.png'}]", "!img/x.png"),
        // Styles that scripts make.
        ("css`a{background:url(i/a.png)}`", "!i/a.png"), ("css`a{b:${c};background:url('i/a.png')}`", "!i/a.png"),
        ("s={backgroundImage:\"url('i/a.png')\"}", "!i/a.png"), ("new FontFace('x','url(f/x.woff2)')", "!f/x.woff2"),
        ("'url(i/a.png'", ""), ("'url(#a) url(a.txt) url({x}.png)'", ""), ("'curl(i/a.png)'", ""),
        ("f('<p style=background:url(i/a.png)>')", "!i/a.png"),
        ("new Worker('w.js')", "!w.js"),
        ("new Worker(root+'scripts/w.js')", "!*scripts/w.js"),
        ("new SharedWorker('s/w.js',{type:'module'})", "!s/w.js"),
        ("new EventSource('x.txt')", "!x.txt"),
        ("new Request('a.bin')", "!a.bin"),
        ("new URL('search.json',base)", "!search.json"),
        // The module is known for certain.
        ("import('./a.js')", ""),
        ("const m='./a.js';import(m)", "!a.js"),
        ("foo('__data.json');fetch('a/__data.json')", "!a/__data.json"),
        ("new EXRLoader().load('a/sky.exr');l.loadAsync(p+'a.fbx');foo('a.obj')", "!a/sky.exr !*a.fbx"),
        ("foo('invalid.illegal.leading-zero.json')", ""),
        ("foo('string.yaml');foo('comment.block.json');foo('string.list-1.json')", "?string.list-1.json"),
        ("fetch('/home/keeper/a/list.json');foo('/Users/keeper/a/b.csv');foo('/home/list.json')", "?/home/list.json"),
        ("import('name.js')", ""),
        ("<!-- fetch('a.json')", ""),
        ("importScripts('a.js','lib/b.js')", "!@a.js !@lib/b.js"),
        ("import(`${a}pagefind.js`)", "!*pagefind.js"),
        ("importScripts(`${a}/b.js`,c+'/d.js',c+'e.js')", "!@e.js"),
        ("navigator.serviceWorker.register('/sw.js')", "!/sw.js"),
        ("navigator.serviceWorker?.register('/sw.js')", "!/sw.js"),
        ("navigator?.serviceWorker.register('/sw.js')", "!/sw.js"),
        ("fetch?.('a.bin')", "!a.bin"),
        ("x.register('/sw.js')", ""),
        ("loadScript('a/b.js')", "!a/b.js"),
        ("httpGetPromise('searchindex.json')", "!searchindex.json"),
        ("fetchText(x,'a.md')", "!a.md"),
        ("foo('a.md')", ""),
        ("foo('a.json')", "?a.json"),
        ("foo('.vl.json');foo(x+'.data.json');foo('Style.Csv');foo('a/B.JSON')", "?a/B.JSON"),
        // Assignments, attributes and members of arguments.
        ("s.src='search.js'", "!search.js"),
        ("s.src=b+'search.js'", "!*search.js"),
        ("i.src=x?'a.png':'b.png'", "!a.png !b.png"),
        ("l.href='a/style.css'", "!a/style.css"),
        ("o.data='x.pdf'", "!x.pdf"),
        ("o.title='x.pdf'", ""),
        ("e.setAttribute('src','a.svg')", "!a.svg"),
        ("e.setAttribute('title','a.svg')", ""),
        ("$('#i').attr('src','./i/a.svg')", "!i/a.svg"), ("x.attr('xlink:href','a.png')", "!a.png"),
        ("x.attr('title','a.svg')", ""), ("attr('src','a.svg')", ""),
        ("x=[{name:'a',src:'i/a.png'},{src:'m/a.mp3'}]", "!i/a.png !m/a.mp3"),
        ("x={src:'a.png',name:'i/b.png',src2:'i/c.png'}", "?i/b.png ?i/c.png"), ("x={src:'i/a.js'}", ""),
        ("{\"src\":\"i/a.png\"}", ""),
        ("fetch(import.meta.resolve('./idx.json'))", "!@idx.json"), ("import.meta.resolve('./idx.txt')", ""),
        ("path.resolve('./idx.html')", ""),
        ("('https:'==l?'https://ssl':'http://www')+'.stats.example/ga.js'", ""),
        ("s.src=(l?'https://ssl':'http://www')+'.stats.example/ga.js'", ""), ("s.src=b+'../c/ga.js'", "!*../c/ga.js"),
        // Markup that the page then contains.
        ("window.jQuery||document.write('<script src=\"lib/j.js\"><\\/script>')", "!lib/j.js"),
        ("document.write(unescape(\"%3Cscript src='lib/j.js' type='text/javascript'%3E%3C/script%3E\"))", "!lib/j.js"),
        ("document.write('<link rel=stylesheet href=a.css><link rel=next href=b.html>')", "!a.css"),
        ("e.innerHTML='<p><img src=i/a.png alt=x></p>'", "!i/a.png"), ("$('<img src=\"a.png\">').show()", "!a.png"),
        ("$('ul').append('<li><a href=a.html>x</a><video src=v.mp4></video>')", "!v.mp4"),
        ("e.innerHTML='<img src='+a+'b.png>'", ""), ("e.innerHTML=`<img src=\"${a}.png\">`", ""),
        ("e.insertAdjacentHTML('beforeend','<img src=\"{{a}}.png\">')", ""), ("x='<img src=a.png>'", ""),
        ("write('<img src=a.png>')", ""), ("d3.html('<img src=a.png>')", ""),
        ("a='x.png',b.src='y.png'", "!y.png"),
        ("SwaggerUIBundle({url:'./petstore.json',dom_id:'#x'})", "!petstore.json"),
        ("SwaggerUIBundle({urls:[{url:'a.yaml',name:'A'}]})", "!a.yaml"),
        ("f({file:'a/b.txt'})", "!a/b.txt"),
        ("f({image:'a/b.png'})", "!a/b.png"),
        ("f({json:'/assets/search.json'})", "?/assets/search.json"),
        ("x={url:'a/b.txt'}", ""),
        ("GlobalWorkerOptions.workerSrc='../build/pdf.worker.js'", "!../build/pdf.worker.js"),
        // Anything else: data files.
        ("var u='./index.json'", "?index.json"),
        ("x={a:'d/e.geojson',b:['f.wasm']}", "?d/e.geojson ?f.wasm"),
        ("w={value:'../build/pdf.worker.mjs'}", "?../build/pdf.worker.mjs"),
        ("x='a.js'", ""),
        ("x='a.html'", ""),
        ("return t?'a.json':'b.json'", "?a.json ?b.json"),
        ("x={a:t?'a.json':'b.json'}", "?a.json ?b.json"),
        // Constants.
        ("const u='/en.data.json';fetch(u)", "!/en.data.json"),
        ("let b='/docs/';fetch(b+'x.txt')", "!/docs/x.txt"),
        ("let b='/docs/';fetch(`${b}x.txt`)", "!/docs/x.txt"),
        ("fetch(u);var u='a.txt'", "!a.txt"),
        ("let b='/docs/';b=g();fetch(b+'x.txt')", "!*x.txt"),
        ("let b='a/';f=function(b){fetch(b+'x.txt')}", "!*x.txt"),
        ("let b='a/';f=b=>fetch(b+'x.txt')", "!*x.txt"),
        ("let b='a/';f=(a,b)=>fetch(b+'x.txt')", "!*x.txt"),
        ("let b='a/'+c;fetch(b+'x.txt')", "!*x.txt"),
        ("fetch('/d/'+'x.txt')", "!/d/x.txt"),
        ("fetch(t.p+'x.txt')", "!*x.txt"),
        ("const u='a.txt'\nfoo()\nfetch(u)", "!a.txt"),
        ("const b=`./`\nconst s=b+'x.json'", "?x.json"),
        ("const d='img/';x.src=d+n;x.src='a/'+d", ""),
        ("const n='b.js';s.src='a/'+n", "!a/b.js"),
        // Loops through lists.
        ("const l=['a.js','b/c.js'];for(const u of l){s.src=u}", "!a.js !b/c.js"),
        ("for(const u of ['a.js','b.js'])load(u)", "!a.js !b.js"),
        ("['a.js','b.js'].forEach(function(u,i){s.src='lib/'+u})", "!lib/a.js !lib/b.js"),
        ("var l=['one','two'];\nl.map(n => fetch(`data/${n}.csv`))", "!data/one.csv !data/two.csv"),
        ("const l=['one','two'];l\n  .forEach((n)=>{i.src=`img/${n}.png`})", "!img/one.png !img/two.png"),
        ("const l=['a.png','b.png'];p.src='img/'+l[k]", "!img/a.png !img/b.png"),
        ("const l=['a.png','b.png'];p.src=l[(k+1)%2];q.src=l[0]", "!a.png !b.png"),
        ("const l=['x','y'];fetch('d/'+l[k]+'.json')", "!d/x.json !d/y.json"),
        ("const l=['x','y'];const p=`img/${l[k]}.png`", "?img/x.png ?img/y.png"),
        // Another meaning of the list or of the variable.
        ("l=['a.js'];l=['b.js'];for(const u of l){s.src=u}", ""),
        ("const l=['a.js',f()];for(const u of l){s.src=u}", ""),
        ("const l=['a.js'];for(const u of l){g(u)}function h(u){s.src=u}", ""),
        ("const l=['a.js'];for(const u of o.l){s.src=u}", ""),
        // Loops that count.
        ("for(let j=1;j<=2;j++){i.src=`img/${j}.jpg`}", "!img/1.jpg !img/2.jpg"),
        (
            "const N=3; for (var j = 0; j < N; ++j) i.src = 'img/t_' + j + '.png'",
            "!img/t_0.png !img/t_1.png !img/t_2.png"
        ),
        ("for(i=0;i<2;i+=1)fetch('d/p'+(i+1)+'.json')", "!d/p1.json !d/p2.json"),
        ("for(i=0;i<2;i++)x.push(`img/f${i+1}.png`)", "?img/f1.png ?img/f2.png"),
        ("for(i=0;i<n;i++)fetch('d/a'+i+'.json')", ""), ("for(i=0;i<4;i+=2)fetch('d/a'+i+'.json')", ""),
        ("for(i=0;i<9999;i++)fetch('d/a'+i+'.json')", ""),
        ("for(i=0;i<2;i++){}i=g();fetch('d/a'+i+'.json')", ""),
        ("for(i=0;i<2;i++){}function f(i){fetch('d/a'+i+'.json')}", ""),
        // Concatenations and templates.
        ("fetch('/a/'+name+'.json')", ""),
        ("fetch('/a/'+name+'/index.json')", "!*index.json"),
        ("fetch(`/a/${name}.json`)", ""),
        ("fetch(`${a}/b/${c}/d.json`)", "!*d.json"),
        // Only a query can follow the name of a file.
        ("fetch('a.json'+v)", "!a.json"), ("fetch(`${b}a.bin${v}`)", "!*a.bin"),
        ("f('d/a.json'+v);f('d/a.txt'+v)", "?d/a.json"),
        ("q='?cb='+t;fetch('a.json'+q)", "!a.json"), ("fetch('a.js'+'on')", "!a.json"),
        ("fetch('a.json'+'?v=1')", "!a.json"),
        ("fetch('a.json'+'.gz')", ""), ("s.src='a.js'+q", "!a.js"),
        ("fetch('a.json?v='+v)", "!a.json"), ("fetch('a.json'+'?v='+v)", "!a.json"),
        ("f('d/a.json?v='+v)", "?d/a.json"),
        ("fetch(`d/a.json?v=${v}`)", "!d/a.json"), ("fetch(`d/a.txt?v=${v}&w=${w}`)", "!d/a.txt"),
        ("x.open('GET', './m.json?v=' + Math.random(), true)", "!m.json"), ("fetch(b+'/a.json?v='+v)", "!*a.json"),
        ("$.ajax({url: 'i.json' + '?timestamp=' + m.t})", "!i.json"), ("var t = 'a.json?v=' + v", "?a.json"),
        ("fetch('s.php?q='+q)", ""), ("fetch('a/b?v=1.json'+q)", ""), ("f('a.png?v='+v)", ""), ("fetch(`?v=${v}`)", ""),
        ("fetch(`${a}x.json?v=1#2`)", "!*x.json"),
        ("x+='d/a.json'", "?*d/a.json"),
        ("f(n+'-data.json')", ""),
        ("fetch(c?d+'a.txt':'b.txt')", "!*a.txt !b.txt"),
        ("fetch((a+'b.txt'))", "!*b.txt"),
        // A group after a `+`, and several literals at the end.
        ("fetch(a+(b||'c.txt'))", "!*c.txt"), ("fetch(a+(b?'c.txt':'d/e.txt'))", "!*c.txt !*d/e.txt"),
        ("fetch('a/'+(b||'c.txt'))", "!a/c.txt"),
        ("s.src=o+'part-'+(t?'one.js':'two.html')", "!*part-one.js !*part-two.html"),
        ("fetch(a+(b)+'c.txt')", "!*c.txt"), ("fetch(a+'b/'+'c.txt')", "!*b/c.txt"),
        ("fetch((a||'')+'c.txt')", "!*c.txt"),
        ("fetch(x.y+'b/'+'c.txt')", "!*b/c.txt"), ("fetch(a+'?v='+'c.txt')", ""), ("fetch(a+('b'))", ""),
        // A picture in place of another one.
        ("e.src=e.src.substr(0,9)+'plus.png'", "!@plus.png"), ("e.src=`${e.src.slice(0,-9)}plus.png`", "!@plus.png"),
        ("$(e).attr('src',s.substring(0,s.length-9)+'plus.png')", "!@plus.png"),
        ("e.src=e.src.slice(0,-9)+'i/plus.png'", "!*i/plus.png"), ("e.src=b+'plus.png'", "!*plus.png"),
        ("fetch(u.slice(0,-9)+'b.json');i.src=b+'plus.png'", "!*b.json !*plus.png"),
        // An address relative to what only the running script knows.
        ("new URL('../v.json',c.base)", "!*../v.json"), ("new URL('../v.json',location)", "!../v.json"),
        ("new URL('../v.json',document.baseURI)", "!../v.json"), ("new URL('../v.json')", "!../v.json"),
        ("new URL('v.json',c.base)", "!v.json"),
        ("f(new URL('../v.json',c.base),'../w.json')", "!*../v.json ?../w.json"),
        // No addresses.
        ("// fetch('a.json')", ""),
        ("/* 'a.json' */", ""),
        ("x=/'a.json'/", ""),
        ("x={'a.json':1}", ""),
        ("switch(x){case'a.json':}", ""),
        ("import x from './a.json'", ""),
        ("import './a.json'", ""),
        ("export * from './a.json'", ""),
        ("x==='a.json'", ""),
        ("'a.json'===x", ""),
        ("x!='a.json'", ""),
        ("x.endsWith('a.json')", ""),
        ("require('./a.json')", ""),
        ("'a.json' in x", ""),
        ("'a.json'.length", ""),
        ("console.log('a.json')", ""),
        ("registerFile('data/a.csv', {name: 'data/a.csv'})", ""), ("FileAttachment('data/a.csv').csv()", ""),
        ("Symbol.for('a.json');n.for('b.json');Symbol('c.json')", ""),
        ("x.createElement('p',null,'a.json')", ""),
        ("x.createElement('p',{data:'a.json'})", "?a.json"),
        ("(0,r.jsx)(s.code,{children:'a.json'})", ""),
        ("(0,r.jsxs)('p',{children:['see ',x,'a.json'],data:'b.json'})", "?b.json"),
        ("x={title:t?'a.json':'b.json',of:'c.json'}", "?c.json"),
        ("a.download='a.json';a.textContent=x+'b.json';a.list='c.json'", "?c.json"),
        ("x={'./a':{module:{worker:'./d/a.worker.js',default:'./d/a.json'}},b:'c.json'}", "?c.json"),
        ("x={'.':'./d/a.worker.js','./b':'./d/b.json'}", ""),
        ("x={a:{'./b':1},c:{worker:'d/worker.js'}}", "?d/worker.js"),
        ("x={'./a.json':()=>fetch('./b.json')}", "!b.json"),
        ("x='package.json';y='a/composer.json';z='app.package.json'", "?app.package.json"),
        ("fetch('package.json')", "!package.json"),
        ("x='tslint.json';y='api-extractor.json'", ""),
        ("x='org.example.graph.json';y='net.example.a.b.properties';z='example.min.json'", "?example.min.json"),
        (
            "x='io.json';y='com.a-b.json';fetch('org.example.graph.json')",
            "?io.json ?com.a-b.json !org.example.graph.json"
        ),
        ("x='node_modules/a/b.json';y='a/node_modules/b/c.json';z='node_modules.json'", "?node_modules.json"),
        ("fetch('node_modules/a/b.json')", "!node_modules/a/b.json"),
        ("x='~a/default/b.json'", ""),
        ("u.join(b,'api',c,'a.json')", ""),
        ("u.join(b,'a.json');u.join(b,c,'d/e.json')", "?a.json ?d/e.json"),
        ("''.concat(b,'/js/a.json')", "?*js/a.json"),
        ("fetch(''.concat(b).concat(c,'/d/a.json'))", "!*d/a.json"),
        ("importCssString(c,'a.css')", ""),
        ("fetch('a.js.map')", ""),
        ("fetch('{x}.json')", ""),
        ("fetch('%s.json')", ""),
        // Spaces and letters beyond ASCII, as browsers encode them.
        ("fetch('a b.json')", "!a%20b.json"), ("x.src='b/Möwe 1.jpg?v'", "!b/M%C3%B6we%201.jpg"),
        ("x.src='a.png, b.png'", ""), ("x='b/Möwe.jpg';y='b/a b.jpg'", ""),
        ("x.src='p/1.jpg';y='p/2.jpg'", "!p/1.jpg ?p/2.jpg"),
        ("x.src=b+'1.jpg';y='1.json'", ""),
        ("fetch('*.json')", ""),
        ("fetch('<a>.json')", ""),
        ("x='.json'", ""),
        ("x='1.json'", ""),
        ("fetch('a//b.json')", ""),
        ("fetch('a/../b.json')", ""),
        ("fetch('../../b.json')", "!../../b.json"),
        ("fetch('api/items')", ""),
        ("x='@site/a/b.json'", ""),
        ("x='/@fs/a/b.json'", "?/@fs/a/b.json"),
        ("fetch('a/%C3%A4a.json')", "!a/%C3%A4a.json"),
        ("fetch('//x.example/a.json')", ""),
        ("fetch('https://x.example/a.json')", "!https://x.example/a.json"),
        ("fetch('https://x.example')", ""),
        ("fetch(`a${b", ""),
        ("fetch(", ""),
        ("fetch('", ""),
        ("))}}]'a.json'", "?a.json"),
    ]

    @Test(arguments: lines)
    func `the texts of a line of a script`(line: String, expected: String) {
        #expect(Self.texts(in: line) == expected)
    }

    @Test func `data in a page has texts, but its keys are none`() {
        let data = #"{"a.json":"b.json","c":["d/e.json",{"url":"f.txt","src":"i/a.png"}],"d":["i/b.png"]}"#
        #expect(Self.texts(in: data) == "?b.json ?d/e.json")
    }

    @Test func `a text counts once, with its stronger mention`() {
        #expect(Self.texts(in: "x='a.json';fetch('a.json');y=b+'a.json'") == "!a.json")
    }

    @Test func `a script has a limited number of texts`() {
        let script = (0..<10_000).map { "x='a\($0).json'" }.joined(separator: ";")
        #expect(Self.read(script).texts.count == ScriptTextReader.limit)
    }

    @Test(arguments: [
        "fetch(", "l=['a.js','b.js'];for(const u of l){s.src=u};", "for(i=0;i<500;i++)fetch('a'+i+'.json');",
        "['a.js'].map(u=>f(u));",
        "x='a.json'+", "`${", "{a:", "[", "function f(a,", "a=b=>", "'a.json'+'b.json'+", "['a.json',",
    ])
    func `reading takes linear time and bounded memory`(part: String) {
        #expect(Self.read(String(repeating: part, count: Rounds.count(5_000))).texts.count <= ScriptTextReader.limit)
    }

    @Test(arguments: [
        ("a.json", Destination.other), ("a/b.js", .script), ("x.html", .document), ("i.SVG", .image),
        ("f.woff2", .font),
        ("s.css", .style),
        ("v.mp4", .media),
    ])
    func `the suffix tells what is loaded`(tail: String, loads: Destination) {
        #expect(ScriptText(tail, .loaded, .none).loads == loads)
    }

    @Test func `a page has the texts of its scripts and its base`() throws {
        let page =
            "<base href=/b/><script>fetch('list.json')</script>"
            + "<script type=application/json>{\"a\":\"d.csv\"}</script>"
        let found = ReferenceExtractor.references(
            in: Array(page.utf8),
            mediaType: "text/html",
            charset: nil,
            url: try WebURL("http://d.example/a/")
        )
        #expect(
            found.scriptTexts.texts == [ScriptText("list.json", .loaded, .none), ScriptText("d.csv", .named, .none)]
        )
        #expect(found.base == (try WebURL("http://d.example/b/")))
    }

    @Test(arguments: [
        ("fetch('/a/'+b)", "1:1 fetch('/a/'+b)"),
        ("x\n  fetch(`/a/${b}`)", "2:3 fetch(`/a/${b}`)"),
        ("a.b.open('GET','/api/'+b+'/c')", "1:3 b.open('GET','/api/'+b+'/c')"),
        ("fetch(a.b+c.d)", "1:1 fetch(a.b+c.d)"), ("fetch(`${a.b}${c}`)", "1:1 fetch(`${a.b}${c}`)"),
        ("fetch(a+b+'.json')", "1:1 fetch(a+b+'.json')"), ("fetch(a+b+'/c.json')", ""), ("f(a+b)", ""),
        ("loadScript(a+b)", ""), ("fetch(a,b+c)", ""), ("fetch('https://api.example/'+a+b)", ""),
        ("fetch('list?v='+a)", "1:1 fetch('list?v='+a)"), ("fetch('list.json?v='+a)", ""),
        ("fetch(`d/list?_=${a}`)", "1:1 fetch(`d/list?_=${a}`)"),
        ("fetch('list?q='+a)", ""), ("fetch('https://api.example/a?v='+b)", ""), ("fetch('?v='+a)", ""),
        ("i.src=t[n].file", "1:1 i.src=t[n].file"), ("x;a.i.src=t.u[n+1].f;y", "1:5 i.src=t.u[n+1].f"),
        ("i.src=t[n].a.file\nfoo()", "1:1 i.src=t[n].a.file"), ("(i.src=t[n].file)", "1:2 i.src=t[n].file"),
        ("i.src=t[n].file;t=[{file:1}]", ""), ("i.src=t[n].file;a.file = b", ""),
        ("i.src=t[n].file;a.file==b", "1:1 i.src=t[n].file"),
        ("i.src=t[n].file;a={'file':b}", ""), ("i.src=t[n].file;a={afile:b}", "1:1 i.src=t[n].file"),
        ("i.src=t[n].src", ""), ("i.src=t[n]", ""), ("i.src=t[n].file()", ""), ("i.src=t[n].file+b", ""),
        ("i.href=t[n].file", ""),
        ("i.src=t.file", ""), ("i.src==t[n].file", ""), ("a[b.src=1].file", ""),
        ("fetch(b+'/c.json')", ""), ("fetch(b)", ""), ("fetch(b+'c')", ""), ("loadScript('/a/'+b)", ""),
        ("f('/a/'+b)", ""),
        ("fetch('/a/'+b,{method:'POST'})", ""), ("x.open(\"DELETE\",'/a/'+b)", ""),
        ("fetch('/a/b')", ""),
        ("window.open('/a/'+b)", ""),
        ("fetch('https://api.example/a/'+b)", ""),
        ("fetch('/a/b?c='+d)", ""), ("new Worker('/a/'+b)", "1:5 Worker('/a/'+b)"),
        ("L.tileLayer('t/{z}/{x}/{y}.png',{a:1})", "1:1 L.tileLayer('t/{z}/{x}/{y}.png'"),
        ("f(a+'/{z}/{f}/{y}/{x}.jpg')", "1:1 f(a+'/{z}/{f}/{y}/{x}.jpg'"),
        ("f('https://t.example/{z}/{x}/{y}.png')", ""), ("f('//t.example/{z}/{x}/{y}.png')", ""),
        ("f('{x}.png')", ""), ("x='t/{z}/{x}/{y}.png'", ""),
    ])
    func `calls with addresses that can't be read are named`(script: String, expected: String) {
        let calls = Self.read(script).calls.map { "\($0.line):\($0.column) \($0.code)" }
        #expect(calls.joined(separator: " ") == expected)
    }

    @Test(arguments: [
        ("fetch(url)", true), ("fetch(this.url,{})", true), ("new Worker(e)", true), ("import(name)", true),
        ("x.open('GET',e,true)", true), ("$.get(u,f)", true), ("fetch(e.href)", false), ("fetch('a.json')", false),
        ("fetch(`/a/${b}`)", false), ("x.open('GET','a.json',true)", false), ("db.open(name,1)", false),
        ("window.open(url)", false), ("load(url)", false), ("f(fetch)", false), ("// fetch(url)", false),
    ])
    func `a call that loads something by an address of which it shows nothing is noted`(
        script: String,
        expected: Bool
    ) {
        #expect(Self.read(script).loadsUnknown == expected)
    }

    @Test(arguments: [
        ("f(`/query/${a}.json`)", "`/query/${a}.json`"),
        ("t=(z,y,x)=>`./tiles/${z}/${y}/${x}.png`", "`./tiles/${z}/${y}/${x}.png`"),
        ("f(`/query/${`${a}.${b}`}.json`)", "`/query/${`${a}.${b}`}.json`"), ("f(`/query/${a}`)", ""),
        ("f(`${a}.json`)", ""), ("f(`/q/${a}.json`)", ""), ("console.log(`/query/${a}.json`)", ""),
        ("f(`https://api.example/${a}.json`)", ""), ("f({title:`/query/${a}.json`})", ""),
        ("fetch(`/query/${a}.json`)", "fetch(`/query/${a}.json`)"), ("import('./a/b.js')", ""),
        ("import('a/b.js')", ""),
        ("import('./locale/'+a)", "import('./locale/'+a)"),
    ])
    func `a template that composes the address of a file is named`(script: String, expected: String) {
        #expect(Self.read(script).calls.map(\.code).joined(separator: " ") == expected)
    }

    @Test func `calls of the same form have one shape, and few are named`() {
        let calls = Self.read((0..<100).map { "fetch('/a\($0)/'+b\($0))" }.joined(separator: "\n")).calls
        #expect(calls.count == ScriptTextReader.callLimit && Set(calls.map(\.shape)).count == 1)
        #expect(UnreadCall(line: 1, column: 1, code: "fetch(a+'/b')").shape == "x(x+'/x')")
    }

    private static func read(_ script: String) -> ScriptTexts {
        Array(script.utf8).withUnsafeBufferPointer { ScriptTextReader.read(ScanBuffer($0), 0..<$0.count, .script) }
    }

    private static func texts(in script: String) -> String {
        read(script).texts.map { text in
            let head = ["", "*", "@"][text.head.rawValue]
            return (text.strength == .loaded ? "!" : "?") + head + text.tail
        }.joined(separator: " ")
    }
}
