// What may stand in the host field: one DNS name or one plain IP address. Pure. Guards: nothing that a resolver, a
// driver or a person could read as something else (socket paths, lists, URLs, numbers that are addresses).
import { isIPv4, isIPv6 } from 'node:net';

const LABEL = /^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/;
const NUMERIC_LABEL = /^(0[xX][0-9A-Fa-f]*|\d+)$/;
const CONTROL_OR_SPACE = /[\p{Cc}\p{Cf}\s]/u;

/** Why this text is no host, as a whole sentence, or undefined when it is one. */
export function hostProblem(host: string): string | undefined {
  if (host === '') return 'The host is empty.';
  if (CONTROL_OR_SPACE.test(host)) return 'The host must not hold spaces or control characters.';
  if (host.includes('://')) return 'The host must be a name or an address, not a URL.';
  if (/^[/@\\]/.test(host)) return 'Socket paths are not supported: give a host name or an IP address.';
  if (host.includes(',')) return 'The host must be a single name or address, not a list.';
  if (isIPv4(host)) return undefined;
  if (host.includes(':')) return ipv6Problem(host);
  return nameProblem(host);
}

function ipv6Problem(host: string): string | undefined {
  if (host.startsWith('[')) return 'Write the IPv6 address without brackets.';
  if (host.includes('%')) return 'Addresses with a zone id (after %) are not supported.';
  if (isIPv6(host)) return undefined;
  return 'The host is not a valid IPv6 address; a port goes into its own field.';
}

function nameProblem(host: string): string | undefined {
  const labels = host.replace(/\.$/, '').split('.');
  if (NUMERIC_LABEL.test(labels.at(-1) ?? '')) {
    return 'The host looks like an IPv4 address in an unusual spelling: write four decimal numbers without leading zeros.';
  }
  if ([...host].some((letter) => letter > '\x7f')) {
    return 'The host holds letters beyond ASCII: give its xn-- form.';
  }
  if (host.length > 253 || !labels.every((label) => LABEL.test(label))) {
    return 'The host is not a valid DNS name or IP address.';
  }
  return undefined;
}

/** Why this text is no address to connect to in place of resolving the host, or undefined. */
export function hostaddrProblem(hostaddr: string): string | undefined {
  if (isIPv4(hostaddr) || (isIPv6(hostaddr) && !hostaddr.includes('%'))) return undefined;
  return 'hostaddr must be a plain IPv4 or IPv6 address.';
}
