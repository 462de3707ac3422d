// Browser safety: a write that a cookie authorises must come from our own pages. The three ways that pass are the
// only ones; a page elsewhere can neither leave out Sec-Fetch-Site in a modern browser nor forge Origin.
import { Fault } from '../kernel/errors.ts';

export interface SiteHeaders {
  'sec-fetch-site'?: string | string[] | undefined;
  origin?: string | undefined;
  host?: string | undefined;
}

function isOwnOrigin(origin: string, host: string | undefined): boolean {
  if (!host || !URL.canParse(origin)) return false;
  const { protocol, host: originHost } = new URL(origin);
  const own = `${protocol}//${host}`;
  return originHost !== '' && URL.canParse(own) && new URL(own).host === originHost;
}

/** Throws 403 unless a write without an Authorization header may pass. */
export function demandSameSite(headers: SiteHeaders, allowedOrigins: readonly string[]): void {
  const { 'sec-fetch-site': site, origin, host } = headers;
  if (site === 'same-origin' || site === 'none') return;
  if (origin !== undefined && allowedOrigins.includes(origin)) return;
  if (site === undefined && (origin === undefined || isOwnOrigin(origin, host))) return;
  throw new Fault('forbidden', 'Writes from another site are not allowed.');
}
