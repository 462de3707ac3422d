// The headers that every reply carries, whatever made it. The policy forbids inline script and inline style: pages
// get both as files, and every browser test fails on a violation.
import { operations } from './operations.gen.ts';
import { DESCRIPTION_LINK } from './utilities/document.ts';

export type HeaderValues = Record<string, string>;

export const JSON_TYPE = 'application/json; charset=utf-8';

const COMMON: HeaderValues = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
};
/** For our own pages. A foreign client's may be told to be kept otherwise. */
const PAGE_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');
const API_POLICY = "default-src 'none'; frame-ancestors 'none'";
const EXPOSED = 'Link, Retry-After, WWW-Authenticate, X-Request-ID, X-Second-Factor, X-Total-Count';

export const apiHeaders: HeaderValues = {
  ...COMMON,
  link: DESCRIPTION_LINK,
  'cache-control': 'no-store',
  'content-security-policy': API_POLICY,
};
export const pageHeaders = (policy = PAGE_POLICY): HeaderValues => ({
  ...COMMON,
  'content-security-policy': policy,
});
export const transportSecurity: HeaderValues = { 'strict-transport-security': 'max-age=31536000' };

/** The first folders of the paths that programs call. */
const FOLDERS = new Set(operations.map(({ path }) => path.split('/')[1] ?? ''));
const PATHS = new Set(operations.map(({ path }) => path));

/** True for paths that programs call; all others belong to the web interface. */
export function isApiPath(pathname: string): boolean {
  const [, folder = '', ...rest] = pathname.split('/', 3);
  return PATHS.has(pathname) || (rest.length > 0 && FOLDERS.has(folder));
}

export function corsHeaders(origin: string | undefined, allowed: readonly string[]): HeaderValues {
  if (allowed.length === 0) return {};
  if (origin === undefined || !allowed.includes(origin)) return { vary: 'Origin' };
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': EXPOSED,
  };
}

export const preflightHeaders: HeaderValues = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type',
  'access-control-max-age': '600',
};
