export default`<h1>Storms</h1><p>In a gale, close the shutters and light the second lamp.</p><p>The foghorn sounds each minute.</p>`;
