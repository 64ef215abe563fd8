export default`<h1>Lighthouse handbook</h1><p>For keepers and their helpers. Begin with <a href="/lamps">Lamps</a>, then read about <a href="/storms">Storms</a>.</p>`;
