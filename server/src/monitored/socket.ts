// From checked addresses to a socket on which PostgreSQL's protocol can start: TCP, then TLS when wanted. Guards: it
// connects to nothing but the addresses given, TLS speaks to the host by name, and no byte that arrived before the
// handshake is read as if it had come through it (CVE-2021-23222).
import { isIP, Socket } from 'node:net';
import tls from 'node:tls';
import type { ConnectAttempt, TlsPlan } from '../kernel/server-address/ssl-mode.ts';
import type { Deadline } from './deadline.ts';
import { TargetError } from './target-error.ts';

const KEEPALIVE_AFTER_MS = 30_000;
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

export interface Tcp {
  socket: Socket;
  address: string;
}

/** Runs `start` on a socket until it calls `done`; destroys the socket when the deadline passes or it fails. */
function until<T>(
  socket: Socket,
  signal: AbortSignal,
  start: (done: (value: T) => void, fail: (error: unknown) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      socket.off('error', fail);
      socket.off('close', closed);
      signal.removeEventListener('abort', aborted);
    };
    const fail = (error: unknown) => {
      settle();
      socket.destroy();
      reject(error);
    };
    const closed = () => fail(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
    const aborted = () => fail(signal.reason);
    socket.on('error', fail);
    socket.on('close', closed);
    signal.addEventListener('abort', aborted, { once: true });
    if (signal.aborted) return aborted();
    start((value) => {
      settle();
      resolve(value);
    }, fail);
  });
}

function connectOne(address: string, port: number, signal: AbortSignal): Promise<Tcp> {
  const socket = new Socket();
  // Between two steps nobody listens for a moment, and an error without a listener would end the process.
  socket.on('error', () => {});
  return until<Tcp>(socket, signal, (done) => {
    socket.once('connect', () => done({ socket, address }));
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEPALIVE_AFTER_MS);
    socket.connect({ host: address, port });
  });
}

/** The first address that answers; each gets its share of what is left of the time. */
export async function connectTcp(
  addresses: readonly string[],
  port: number,
  deadline: Deadline,
): Promise<Tcp> {
  let last: unknown;
  for (const [index, address] of addresses.entries()) {
    const share = AbortSignal.timeout(Math.ceil(deadline.leftMs / (addresses.length - index)));
    try {
      return await connectOne(address, port, AbortSignal.any([deadline.signal, share]));
    } catch (error) {
      // A clear refusal by one address says more than another's silence.
      last = last === undefined || !share.aborted ? error : last;
      if (deadline.signal.aborted) break;
    }
  }
  throw last;
}

function requestTls(socket: Socket, signal: AbortSignal): Promise<'S' | 'N' | 'E'> {
  return until(socket, signal, (done, fail) => {
    socket.once('data', (reply: Buffer) => {
      socket.pause();
      const letter = String.fromCharCode(reply[0] ?? 0);
      if (letter === 'E') return done('E');
      if ((letter === 'S' || letter === 'N') && reply.length === 1) return done(letter);
      const message =
        'The server answered the request for TLS with something else. Check that it is PostgreSQL.';
      fail(new TargetError({ step: 'protocol', message, code: 'bad_tls_reply' }));
    });
    socket.write(SSL_REQUEST);
  });
}

/**
 * Node's check of the certificate's names, and libpq's last resort beside it: an IP address in the common name of a
 * certificate that has no alternative names at all.
 */
function checkHost(host: string, certificate: tls.PeerCertificate): Error | undefined {
  const plain = certificate.subjectaltname === undefined && isIP(host) !== 0;
  if (plain && certificate.subject?.CN === host) return undefined;
  return tls.checkServerIdentity(host, certificate);
}

export interface TlsWish {
  host: string;
  plan: TlsPlan;
  context: tls.SecureContext;
  signal: AbortSignal;
}

function handshake(socket: Socket, wish: TlsWish): Promise<tls.TLSSocket> {
  const { host, plan, context, signal } = wish;
  const secure = tls.connect({
    socket,
    secureContext: context,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    rejectUnauthorized: plan.verify !== 'nothing',
    checkServerIdentity: plan.verify === 'authority_and_host' ? checkHost : () => undefined,
  });
  secure.on('error', () => {});
  return until<tls.TLSSocket>(secure, signal, (done) => {
    secure.once('secureConnect', () => done(secure));
  }).catch((error) => {
    socket.destroy();
    throw error;
  });
}

export interface Secured {
  socket: Socket;
  tls: boolean;
}

/** The handshake went wrong, which lets `prefer` try without. */
export class HandshakeFailed extends Error {}

/** Does what an attempt asks for on a fresh TCP connection. */
export async function secure(tcp: Tcp, attempt: ConnectAttempt, wish: TlsWish): Promise<Secured> {
  if (attempt.tls === 'never') return { socket: tcp.socket, tls: false };
  const answer = await requestTls(tcp.socket, wish.signal);
  if (answer === 'S') {
    try {
      return { socket: await handshake(tcp.socket, wish), tls: true };
    } catch (cause) {
      throw new HandshakeFailed('TLS handshake failed', { cause });
    }
  }
  if (answer === 'N' && attempt.tls === 'if_offered') return { socket: tcp.socket, tls: false };
  tcp.socket.destroy();
  if (answer === 'E') {
    const message =
      'The server refused to talk about TLS. It may be out of processes or memory: read its log.';
    throw new HandshakeFailed('refused', {
      cause: new TargetError({ step: 'tls', message, code: 'tls_refused' }),
    });
  }
  const message =
    'The server does not offer TLS, and this ssl_mode needs it. Switch ssl on in PostgreSQL, or choose another mode.';
  throw new TargetError({ step: 'tls', message, code: 'tls_not_offered' });
}
