// The authorities that TLS trusts where none are named.

import tls from 'node:tls';

let systemAuthorities: string[] | undefined;

/** The operating system's authorities together with the ones that come with Node. */
export function systemCa(): string[] {
  systemAuthorities ??= [
    ...new Set([...tls.getCACertificates('system'), ...tls.getCACertificates('bundled')]),
  ];
  return systemAuthorities;
}
