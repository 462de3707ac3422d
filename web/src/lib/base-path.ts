// The path below a host under which Matriarch is reached, as the server wrote it into the page; empty where it has the host to itself.
const meta = globalThis.document?.querySelector('meta[name="base-path"]');
const BASE = meta?.getAttribute('content') ?? '';

/** For the router; its addresses and those of links are without it. */
export const basePath = BASE;

/** An address of ours as the browser has to ask for it. */
export const withBase = (path: string): string => `${BASE}${path}`;

export const isBelowBase = (pathname: string): boolean =>
  pathname === BASE || pathname.startsWith(`${BASE}/`);

/** A path of the browser as our pages know it. */
export const withoutBase = (pathname: string): string =>
  isBelowBase(pathname) ? pathname.slice(BASE.length) || '/' : pathname;
