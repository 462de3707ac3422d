// Files and addresses of files as they may leave. Pure. Guards: what can be read as text is masked as text, whatever its media type
// says; of an address only the host, the path and plain words of its query stay; bytes that are no text stay as they are.
import { type Masker, textOf } from './masking.ts';
import { isSecretName } from './secret-patterns.ts';

type Source = { url: string } | { data: string };

/** Bytes in base64; text comes back as UTF-8, and as it was where nothing in it was masked. */
function maskedBytes(masker: Masker, data: string, media_type: string): string {
  const text = textOf(Buffer.from(data, 'base64'), media_type);
  if (text === undefined) return data;
  const kept = masker.text(text);
  return kept === text ? data : Buffer.from(kept, 'utf8').toString('base64');
}

/** Sizes, formats and such; whatever is longer or mixed may be a key or a signature. */
const PLAIN_VALUE = /^(?:[A-Za-z]{0,12}|\d{1,6}|v\d{1,3})$/;
const SIGNED =
  /^(?:sig|signature|auth|key|code|ticket|session|sid|jwt|hmac|policy|user|pass)$|[-_](?:signature|sig|key|id)$/i;

function maskedPair(masker: Masker, pair: string): string {
  const at = pair.indexOf('=');
  if (at === -1) return PLAIN_VALUE.test(pair) ? pair : masker.secret(pair);
  const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
  const isPlain = PLAIN_VALUE.test(value) && !isSecretName(name) && !SIGNED.test(name);
  return `${masker.secrets(name)}=${isPlain || value === '' ? value : masker.secret(value)}`;
}

/** An address that the provider reads by itself. One that needs its signature cannot be read any more, and the provider says so. */
function maskedAddress(masker: Masker, address: string): string {
  const url = URL.parse(address);
  if (url === null) return masker.text(address);
  const { username, password, host, protocol, search, hash, pathname } = url;
  if (protocol !== 'https:' && protocol !== 'http:') return masker.text(address);
  const who = username || password ? `${masker.secret(`${username}:${password}`)}@` : '';
  const query = search
    .slice(1)
    .split('&')
    .map((pair) => maskedPair(masker, pair));
  const asked = search === '' ? '' : `?${query.join('&')}`;
  const place = hash === '' ? '' : `#${masker.secret(hash.slice(1))}`;
  return `${masker.secrets(`${protocol}//${host}${pathname}`).replace('//', `//${who}`)}${asked}${place}`;
}

export const maskedSource = <T extends Source>(masker: Masker, source: T, media_type: string): T =>
  'url' in source
    ? { ...source, url: maskedAddress(masker, source.url) }
    : { ...source, data: maskedBytes(masker, source.data, media_type) };
