// Sets theme and density before the first paint, so that a dark screen never flashes white. A file of its own,
// because the Content-Security-Policy allows no inline script. On the page of a server its code is asked for at once, not
// only when what comes first has been read (page-code.ts names the files).
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
  const files = document.currentScript?.dataset.serverPage ?? '';
  const base = document.querySelector('meta[name="base-path"]')?.content ?? '';
  if (/^\/servers\/\d+\/?$/.test(location.pathname.slice(base.length)))
    for (const href of files.split(' ').filter(Boolean))
      document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }));
})();
