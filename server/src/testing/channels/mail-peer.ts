// A mail server for tests of channels: real SMTP, with STARTTLS or TLS from the start, that keeps what it is sent and
// refuses what it is told to.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { TlsFiles } from '../servers/tls-files.ts';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** As it came, head and body. */
  source: string;
  isSecure: boolean;
  user: string | undefined;
}

export interface MailPeer {
  port: number;
  mails: ReceivedMail[];
  /** Users with passwords; anybody may send while it is empty. */
  users: Map<string, string>;
  /** Refuses each of these steps with that status. */
  refuse: { data?: number; recipient?: number };
  stop(): Promise<void>;
}

const refusal = (status: number) =>
  Object.assign(new Error('a mail server that says secret-words'), { responseCode: status });

export interface MailPeerOptions {
  tls?: TlsFiles;
  /** TLS from the start in place of STARTTLS. */
  implicit?: boolean;
}

export async function startMailPeer({ tls, implicit = false }: MailPeerOptions = {}): Promise<MailPeer> {
  const mails: ReceivedMail[] = [];
  const users = new Map<string, string>();
  const options: SMTPServerOptions = {
    secure: implicit,
    authOptional: true,
    logger: false,
    disabledCommands: tls ? [] : ['STARTTLS'],
    allowInsecureAuth: true,
    ...(tls && { cert: readFileSync(tls.cert), key: readFileSync(tls.key) }),
    onAuth({ username = '', password }, _session, callback) {
      if (users.get(username) === password && password !== undefined) callback(null, { user: username });
      else callback(refusal(535));
    },
    onRcptTo(_address, _session, callback) {
      callback(peer.refuse.recipient === undefined ? null : refusal(peer.refuse.recipient));
    },
    onData(stream, session, callback) {
      text(stream).then((source) => {
        if (peer.refuse.data !== undefined) return callback(refusal(peer.refuse.data));
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          source,
          isSecure: Boolean(session.secure),
          user: typeof session.user === 'string' ? session.user : undefined,
        });
        callback(null);
      }, callback);
    },
  };
  const server = new SMTPServer(options);
  server.on('error', () => undefined);
  const listener = server.listen(0, '127.0.0.1');
  if (!listener.listening) await once(listener, 'listening');
  const address = listener.address();
  const peer: MailPeer = {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    mails,
    users,
    refuse: {},
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return peer;
}
