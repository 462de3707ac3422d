// Addresses of images and documents, which the provider reads and not we. Guards: only https, only names and addresses that
// anybody in the world could read; nothing of a network of ours is ever named to somebody outside.
import { isIP } from 'node:net';
import { Fault } from '../../kernel/errors.ts';
import { isForbiddenHost } from '../../kernel/http/guarded-lookup.ts';

/** Names that no public name server knows. */
const INNER =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home|corp|private|test|invalid|arpa|onion)$/i;

function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/\.$/, '');
  if (isIP(host.replace(/^\[|\]$/g, '')) !== 0) return !isForbiddenHost(host, false);
  return host.includes('.') && !INNER.test(host);
}

/** The address as it is sent; 400 where it is not https on a public host. */
export function demandPublicAddress(at: string, address: string): string {
  const url = URL.parse(address);
  const isFine =
    url !== null && url.protocol === 'https:' && !url.username && !url.password && isPublicHost(url.hostname);
  if (!isFine) throw new Fault('bad_request', `${at} must be an https address on a public host.`);
  return url.href;
}
