"""A page to try the Agent API, made of ``/openapi.json`` in the browser; all of it stands here."""

from __future__ import annotations

from typing import Final

PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>msgchain Agent API</title>
<meta name="viewport" content="width=device-width">
<style>
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
details{border:1px solid #ccc;border-radius:6px;margin:.5rem 0;padding:.5rem .8rem}
summary{cursor:pointer}b.m{display:inline-block;width:4.5rem}code,pre,textarea{font:13px monospace}
pre{background:#f4f4f4;padding:.6rem;overflow:auto;max-height:24rem}textarea{width:100%;height:9rem}
label{display:block;margin:.3rem 0}input{font:13px monospace;width:24rem;max-width:100%}
button{margin:.4rem 0;padding:.3rem 1rem}
</style></head><body>
<h1>msgchain Agent API</h1>
<p>Described by <a href="/openapi.json">/openapi.json</a>. A key:
<code>msgchain api-keys create --agent ID</code>. It stays in this page.</p>
<label>X-API-Key <input id="key" type="password" autocomplete="off"></label>
<button id="listen">Listen to events</button><pre id="events" hidden></pre>
<div id="list"></div>
<script>
const make=(tag,text,parent)=>{const e=document.createElement(tag);
  if(text)e.textContent=text;if(parent)parent.append(e);return e};
const key=()=>document.getElementById('key').value.trim();
const sample=(s,all)=>{if(s.$ref)return sample(all[s.$ref.split('/').pop()],all);
  if(s.default!==undefined)return s.default;if(s.enum)return s.enum[0];
  const t=Array.isArray(s.type)?'null':s.type;
  if(t==='object'){const o={};for(const[k,v]of Object.entries(s.properties||{}))o[k]=sample(v,all);
    return o}
  return t==='array'?[]:t==='integer'?1:t==='boolean'?false:t==='null'?null:
    s.contentEncoding?btoa('{"hello":"world"}'):''};
fetch('/openapi.json').then(r=>r.json()).then(doc=>{
  const list=document.getElementById('list');
  for(const[path,ops]of Object.entries(doc.paths))for(const[method,op]of Object.entries(ops)){
    const box=make('details','',list),head=make('summary','',box);
    make('b',method.toUpperCase(),head).className='m';make('code',path,head);
    make('span',' '+op.summary,head);
    const fields=(op.parameters||[]).map(p=>{
      const l=make('label',p.name+(p.required?' * ':' '),box);
      return[p,make('input','',l)]});
    let body=null;
    if(op.requestBody){body=make('textarea','',box);
      const s=op.requestBody.content['application/json'].schema;
      body.value=JSON.stringify(sample(s,doc.components.schemas),null,2)}
    const go=make('button','Send',box),out=make('pre','',box);out.hidden=true;
    go.onclick=async()=>{
      const query=new URLSearchParams(),headers={'X-API-Key':key()};
      for(const[p,i]of fields)if(i.value){
        if(p.in==='query')query.set(p.name,i.value);else headers[p.name]=i.value}
      if(body)headers['Content-Type']='application/json';
      out.hidden=false;out.textContent='…';
      try{const url=path+(query.size?'?'+query:'');
        const r=await fetch(url,{method:method.toUpperCase(),headers,
          body:body?body.value:undefined});
        const t=await r.text();let shown=t;
        try{shown=JSON.stringify(JSON.parse(t),null,2)}catch{}
        out.textContent=r.status+'\\n'+shown}catch(e){out.textContent=String(e)}};
  }});
document.getElementById('listen').onclick=()=>{
  const out=document.getElementById('events');out.hidden=false;
  const ws=new WebSocket(location.origin.replace(/^http/,'ws')+'/agent/v1/events/subscribe');
  ws.onopen=()=>ws.send(JSON.stringify({type:'subscribe',topics:['a2a_message','a2a_channel'],
    api_key:key()}));
  ws.onmessage=m=>{out.textContent+=m.data+'\\n'};
  ws.onclose=c=>{out.textContent+='closed: '+c.code+' '+c.reason+'\\n'}};
</script></body></html>
"""
