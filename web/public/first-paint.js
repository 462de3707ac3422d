// Sets theme and density before the first paint, so that a dark screen never flashes white. A file of its own, because the
// Content-Security-Policy allows no inline script. Then asks for what the page that opens is made of (page-code.ts names the
// files) and for what it shows first, while the code of all pages is still on its way; src/api/early.ts takes the replies.
// Guards: where no session is noted, nothing but the user is asked for until it is known; of a server that may not be seen one reply
// is asked for, not seven.

/** What else the overview of a server shows, as its code asks for it (proven in e2e/first-paint.proof.test.ts). */
const readsOfServer = (id) => [
  `alerts?connection_id=${id}&exclude_cleared=true&limit=50`,
  `blackouts?covers_connection_id=${id}&active=true&limit=100`,
  `connections/${id}/coverage?brief=true`,
  `connections/${id}/moment?limit=1000`,
  `findings?state=open&connection_ids=${id}&limit=6`,
  `runway?connection_id=${id}&kind=disk&limit=1`,
];

/** Whether that reply is of a session. */
const saysSignedIn = (user) =>
  user
    .then((reply) => reply.clone().json())
    .then(
      ({ authenticated }) => authenticated === true,
      () => false,
    );

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

  const { dataset } = document.currentScript;
  const base = document.querySelector('meta[name="base-path"]')?.content ?? '';
  if (!location.pathname.startsWith(`${base}/`)) return;
  const path = location.pathname.slice(base.length);
  const server = /^\/servers\/([1-9]\d{0,9})\/?$/.exec(path)?.[1];
  const isEstate = path === '/';

  const files = (server && dataset.serverPage) || '';
  for (const file of files.split(' ').filter(Boolean)) {
    const kind = file.endsWith('.css') ? { rel: 'preload', as: 'style' } : { rel: 'modulepreload' };
    document.head.append(Object.assign(document.createElement('link'), { ...kind, href: base + file }));
  }

  const replies = new Map();
  window.earlyReplies = replies;
  /** Asks once `ready` says so; else there is no reply, and the page that needs it asks again. */
  const ask = (address, ready) => {
    const stop = new AbortController();
    const options = { headers: { accept: 'application/json' }, signal: stop.signal };
    const reply = ready.then((isReady) => (isReady ? fetch(base + address, options) : undefined));
    reply.catch(() => undefined);
    replies.set(address, { reply, stop });
    return reply;
  };
  const user = ask('/api/v1/user/info', Promise.resolve(true));
  // The code is run as one piece, and no reply is met meanwhile: who was signed in when the page was left does not wait for a first one.
  const isSignedIn = read('matriarch-signed-in') === 'yes' ? Promise.resolve(true) : saysSignedIn(user);
  for (const address of ['estate', 'alerts/counts', 'findings/counts', 'clusters'])
    ask(`/api/v1/${address}`, isSignedIn);
  if (server) {
    const maySee = ask(`/api/v1/server-info/${server}`, isSignedIn).then(
      (reply) => reply?.ok === true,
      () => false,
    );
    for (const address of readsOfServer(server)) ask(`/api/v1/${address}`, maySee);
  }
  if (isEstate) ask('/api/v1/overview', isSignedIn);
  setTimeout(() => {
    for (const { stop } of replies.values()) stop.abort();
    replies.clear();
  }, 10_000);
})();
