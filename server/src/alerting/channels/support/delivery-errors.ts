// What went wrong with a delivery, as sentences for whoever configured the channel. Guards: nothing of what the other
// side wrote is in them, and no address: the address may be the secret.
import { FORBIDDEN_ADDRESS } from '../../../kernel/http/guarded-lookup.ts';
import type { OutboundError } from '../../../kernel/http/outbound-error.ts';
import { DeliveryError, type Extent } from '../types.ts';

const CODES: readonly (readonly [pattern: RegExp, words: string])[] = [
  [
    new RegExp(`^(?:${FORBIDDEN_ADDRESS}|address_refused)$`),
    'The address is not allowed. Private and loopback addresses need the setting channels.allow_private_networks; link-local and metadata addresses are always refused.',
  ],
  [/^(?:ENOTFOUND|ENODATA|EAI_NO\w+)$/, 'The name of the host is not known to DNS here. Check its spelling.'],
  [/^EAI_/, "DNS did not answer. Check this machine's name servers."],
  [/^ECONNREFUSED$/, 'Nothing listens at that address and port.'],
  [/^(?:EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL)$/, 'There is no route to the host.'],
  [/^CERT_HAS_EXPIRED$/, 'The TLS certificate of the other side has expired.'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'The TLS certificate of the other side is for another name.'],
  [
    /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_\w+)$/,
    'The TLS certificate of the other side is not trusted here. Name its authority in the setting channels.tls_ca_file.',
  ],
  [
    /^(?:EPROTO|ERR_SSL_\w+|ERR_TLS_\w+)$/,
    'TLS failed. Check that the address speaks TLS, and that port and scheme fit.',
  ],
];

const STATUSES: readonly (readonly [pattern: RegExp, words: string, extent: Extent])[] = [
  [
    /^3/,
    'The other side redirects to another address, which is not followed. Enter the final address.',
    'channel',
  ],
  [/^40[13]$/, 'The other side refused the credentials or the address.', 'channel'],
  [/^4(?:04|10)$/, 'The other side knows nothing at that address.', 'channel'],
  [/^408$/, 'The other side waited too long for the request.', 'channel'],
  [/^413$/, 'The message is too large for the other side.', 'message'],
  [/^429$/, 'The other side asked for fewer messages.', 'channel'],
  [/^4/, 'The other side did not accept the message.', 'message'],
  [/^5/, 'The other side has a fault of its own.', 'channel'],
];

const SLOW = 'The other side did not answer in time.';
const BROKEN = 'The connection broke before the other side had answered.';

export function codeWords(code: string | undefined): string | undefined {
  return code === undefined ? undefined : CODES.find(([pattern]) => pattern.test(code))?.[1];
}

/** By the status, else by what the socket said. */
export function deliveryError({ kind, details }: OutboundError): DeliveryError {
  const { status, code, retry_after_ms } = details;
  if (status !== undefined) {
    const known = STATUSES.find(([pattern]) => pattern.test(String(status)));
    const words = known?.[1] ?? 'The other side answered with something that is no success.';
    const extent = known?.[2] ?? 'channel';
    return new DeliveryError(`${words} (HTTP ${status})`, { extent, retry_after_ms });
  }
  if (kind === 'timeout') return new DeliveryError(SLOW);
  return new DeliveryError(codeWords(code) ?? BROKEN);
}

export const tooSlow = () => new DeliveryError(SLOW);
