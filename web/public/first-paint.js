// Sets theme and density before the first paint, so that a dark screen never flashes white. A file of its own,
// because the Content-Security-Policy allows no inline script.
(() => {
  const root = document.documentElement;
  const read = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const wanted = read('matriarch-theme');
  const dark =
    wanted === 'dark' || (wanted !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
  root.setAttribute('data-density', read('matriarch-density') === 'compact' ? 'compact' : 'comfortable');
})();
