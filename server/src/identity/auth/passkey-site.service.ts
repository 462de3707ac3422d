// Which site passkeys belong to. Guards: it is the address that the settings say, never one that a request claims; without that
// setting passkeys work on localhost alone, where no other machine can be.
import { Fault } from '../../kernel/errors.ts';

export interface Site {
  rp_id: string;
  origin: string;
}

/** How a request came. */
export interface Reached {
  host: string | undefined;
  secure: boolean;
}

const NEEDS =
  'Passkeys cannot work at this address. Ask an administrator to set api.public_url to an address with https:// and a host name.';
const ADDRESS = /^(\d+\.){3}\d+$|^\[/;

const isLocal = (hostname: string) => hostname === 'localhost' || hostname.endsWith('.localhost');

/** Undefined for an address at which no browser allows passkeys: without TLS, or by number. */
function siteAt(address: string): Site | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, origin } = new URL(address);
  const isSecure = protocol === 'https:' && !ADDRESS.test(hostname);
  return isSecure || isLocal(hostname) ? { rp_id: hostname, origin } : undefined;
}

/** Undefined where passkeys cannot work. */
export function siteOf(public_url: string | undefined, { host, secure }: Reached): Site | undefined {
  if (public_url !== undefined) return siteAt(public_url);
  const site = siteAt(`${secure ? 'https' : 'http'}://${host ?? ''}`);
  return site && isLocal(site.rp_id) ? site : undefined;
}

/** 409 where passkeys cannot work. */
export function requireSite(public_url: string | undefined, reached: Reached): Site {
  const site = siteOf(public_url, reached);
  if (!site) throw new Fault('conflict', NEEDS);
  return site;
}
