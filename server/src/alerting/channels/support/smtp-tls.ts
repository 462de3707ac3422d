// How a mail is protected on its way, and what it means when the two sides do not agree on that: who waits for a greeting that comes
// only within TLS would wait until the time is over. Guards: what is tried to find out sends nothing and trusts nothing.
import type { Socket } from 'node:net';
import tls from 'node:tls';
import { DeliveryError, type MailCall } from '../types.ts';

export const USUAL_PORT = 587;
const PORT_OF_TLS = 465;
/** A greeting that has not come by then is looked into; a slow one is waited for all the same. */
const SILENT_MS = 3000;
const HANDSHAKE_MS = 3000;

/** STARTTLS, which must then be there, or TLS from the start; without TLS nothing is negotiated. */
export function secured({ config }: MailCall, ca: readonly string[] | undefined) {
  const { smtp_host: host, smtp_port: port = USUAL_PORT, smtp_use_tls: wanted = true } = config;
  const { smtp_tls_mode: mode = 'auto' } = config;
  const secure = wanted && (mode === 'implicit' || (mode === 'auto' && port === PORT_OF_TLS));
  return {
    host,
    port,
    secure,
    requireTLS: wanted && !secure,
    ignoreTLS: !wanted,
    tls: { rejectUnauthorized: true, ...(ca !== undefined && { ca: [...ca] }) },
  };
}

const EXPECTS_TLS =
  'The mail server expects TLS from the start at that port. Choose "TLS from the start" (smtp_tls_mode implicit).';
const BEGINS_PLAIN =
  'The mail server begins without TLS at that port. Choose "STARTTLS" (smtp_tls_mode starttls).';
const DEMANDS_TLS = 'The mail server takes mail over TLS alone. Switch "Use TLS" on (smtp_use_tls).';
const OFFERS_NONE =
  'TLS with the mail server failed: it offers none at that port. Enter the port where it does, or switch "Use TLS" off.';

/** Whether TLS is spoken on a connection; whose certificate it is does not matter for that. */
function speaksTls(socket: Socket): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const over = tls.connect({ socket, rejectUnauthorized: false });
  const timer = setTimeout(() => resolve(false), HANDSHAKE_MS);
  over.once('secureConnect', () => resolve(true));
  over.once('close', () => resolve(false));
  over.on('error', () => resolve(false));
  return promise.finally(() => {
    clearTimeout(timer);
    over.destroy();
    socket.destroy();
  });
}

export interface Silence {
  socket: Socket;
  /** Another connection to the same address. */
  again(): Promise<Socket>;
  within_ms: number;
}

/** Rejects once a server that says nothing turns out to wait for TLS; never resolves. `end` stops looking. */
export function silentTls({ socket, again, within_ms }: Silence): { found: Promise<never>; end(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  const look = async () => {
    if (socket.bytesRead > 0) return;
    if (await speaksTls(await again())) reject(new DeliveryError(EXPECTS_TLS));
  };
  const timer = setTimeout(() => void look().catch(() => undefined), Math.min(SILENT_MS, within_ms / 2));
  return { found: promise, end: () => clearTimeout(timer) };
}

const WRONG_VERSION = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNKNOWN_PROTOCOL|HTTP_REQUEST/;

export interface Failure {
  code: string;
  /** Of the socket or of TLS. */
  cause: string | undefined;
  status: number | undefined;
  response: string | undefined;
}

/** What two sides disagree on, as a sentence; undefined where it is something else. */
export function mismatch(
  { secure, ignoreTLS, requireTLS }: ReturnType<typeof secured>,
  { code, cause = '', status, response = '' }: Failure,
): string | undefined {
  if (secure && WRONG_VERSION.test(`${cause} ${code}`)) return BEGINS_PLAIN;
  if (ignoreTLS && (status === 538 || (status !== undefined && /starttls|\btls\b|encrypt/i.test(response))))
    return DEMANDS_TLS;
  return requireTLS && code === 'ETLS' && cause === 'ETLS' ? OFFERS_NONE : undefined;
}
