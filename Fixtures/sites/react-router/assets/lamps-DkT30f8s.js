export default`<h1>Lamps</h1><p>Trim the wick each evening, and polish the lens.</p><p>In bad weather, see <a href="/storms">Storms</a>.</p>`;
