// Mail over real SMTP: what arrives, as whom, how well protected, and what the channel says when it does not. S2, S3, S19.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../kernel/secret.ts';
import { type MailPeer, startMailPeer } from '../../testing/channels/mail-peer.ts';
import { makeTlsFiles } from '../../testing/servers/tls-files.ts';
import { type Message, SAMPLE_ALERT } from './alert-facts.ts';
import { createSender, type Sender } from './sender.ts';
import { type ChannelConfig, DeliveryError, type SendCall } from './types.ts';

const CANARY = 'canary-9a4c';
const message: Message = {
  kind: 'fire',
  key: '00000000-0000-4000-8000-000000000001',
  timestamp: '2026-01-15T10:00:00Z',
  alerts: [SAMPLE_ALERT],
  base_url: 'https://matriarch.example',
};

let plain: MailPeer;
let starttls: MailPeer;
let implicit: MailPeer;
let sender: Sender;
const folder = mkdtempSync(path.join(tmpdir(), 'matriarch-mail-'));
beforeAll(async () => {
  const tls = makeTlsFiles(folder, { host: '127.0.0.1' });
  [plain, starttls, implicit] = await Promise.all([
    startMailPeer(),
    startMailPeer({ tls }),
    startMailPeer({ tls, implicit: true }),
  ]);
  sender = createSender({ allow_private_networks: true, ca: readFileSync(tls.ca, 'utf8') });
});
afterAll(async () => {
  await sender.stop();
  await Promise.all([plain.stop(), starttls.stop(), implicit.stop()]);
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  for (const peer of [plain, starttls, implicit]) {
    peer.mails.length = 0;
    peer.users.clear();
    peer.refuse = {};
  }
});

type Call = Omit<SendCall, 'out'>;

const callTo = (config: ChannelConfig, more: Partial<Call> = {}): Call => ({
  config: {
    smtp_host: '127.0.0.1',
    from_address: 'matriarch@example.com',
    from_name: 'Matriarch',
    ...config,
  },
  secrets: {},
  headers: [],
  recipients: [
    { email_address: 'ada@example.com', display_name: 'Ada' },
    { email_address: 'bob@example.com' },
  ],
  message,
  ...more,
});

const unprotected = (): ChannelConfig => ({ smtp_port: plain.port, smtp_use_tls: false });

async function failure(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((reason: unknown) => reason);
  if (!(error instanceof DeliveryError)) throw new Error(`expected a DeliveryError, got ${String(error)}`);
  expect(error.message).not.toContain(CANARY);
  expect(error.message).not.toContain('secret-words');
  return error.message;
}

/** A mail server that greets and answers any client that names a sender. */
async function spoken(answer: string): Promise<{ port: number; close(): void }> {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('220 mail.example.com ESMTP\r\n');
    socket.on('data', (data) => {
      const said = data.toString();
      if (/^(?:EHLO|HELO)/i.test(said)) socket.write('250-mail.example.com\r\n250 STARTTLS\r\n');
      else socket.write(`${/^QUIT/i.test(said) ? '221 bye' : answer}\r\n`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: () => void server.close(),
  };
}

const decoded = (source: string) =>
  source
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/(?:=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString());
const headOf = (source: string) => source.slice(0, source.indexOf('\r\n\r\n')).replaceAll(/\r\n\s+/g, ' ');

describe('email', () => {
  it('sends text and HTML to every recipient, in the thread of its alert', async () => {
    expect(await sender.send('email', callTo(unprotected()))).toBe(
      'The mail server took the message for 2 recipients.',
    );
    const [mail] = plain.mails;
    expect(mail?.to).toEqual(['ada@example.com', 'bob@example.com']);
    const source = mail?.source ?? '';
    expect(headOf(source)).toContain('Subject: orders / orders-db-1 [warning]: High connection usage');
    expect(headOf(source)).toContain(`Message-ID: <${message.key}@matriarch>`);
    expect(headOf(source)).toMatch(/References: <matriarch-1-[0-9a-f]{12}@matriarch>/);
    expect(headOf(source)).toContain('From: Matriarch <matriarch@example.com>');
    expect(decoded(source)).toContain('text/plain');
    expect(decoded(source)).toContain('<a href="https://matriarch.example/alerts/1">');
    expect(mail?.isSecure).toBe(false);
  });

  it('signs in over STARTTLS', async () => {
    starttls.users.set('herd', `${CANARY}-password`);
    const secrets = { smtp_username: new Secret('herd'), smtp_password: new Secret(`${CANARY}-password`) };
    await sender.send('email', callTo({ smtp_port: starttls.port }, { secrets }));
    expect(starttls.mails).toMatchObject([{ user: 'herd', isSecure: true }]);
    const wrong = { ...secrets, smtp_password: new Secret(`${CANARY}-other`) };
    expect(
      await failure(sender.send('email', callTo({ smtp_port: starttls.port }, { secrets: wrong }))),
    ).toMatch(/refused the user name or the password/);
  });

  it('speaks TLS from the start at any port where that is chosen', async () => {
    await sender.send('email', callTo({ smtp_port: implicit.port, smtp_tls_mode: 'implicit' }));
    expect(implicit.mails).toMatchObject([{ isSecure: true }]);
    const strange = createSender({ allow_private_networks: true });
    const call = callTo({ smtp_port: implicit.port, smtp_tls_mode: 'implicit' });
    expect(await failure(strange.send('email', call))).toMatch(/is not trusted here/);
    await strange.stop();
  });

  it.each<[string, () => ChannelConfig, RegExp]>([
    [
      'STARTTLS, TLS from the start',
      () => ({ smtp_port: implicit.port }),
      /^The mail server expects TLS from the start/,
    ],
    [
      'none, TLS from the start',
      () => ({ smtp_port: implicit.port, smtp_use_tls: false }),
      /^The mail server expects TLS from the start/,
    ],
    [
      'TLS from the start, STARTTLS',
      () => ({ smtp_port: starttls.port, smtp_tls_mode: 'implicit' }),
      /^The mail server begins without TLS.*smtp_tls_mode starttls/,
    ],
    [
      'TLS from the start, none',
      () => ({ smtp_port: plain.port, smtp_tls_mode: 'implicit' }),
      /^The mail server begins without TLS/,
    ],
    ['STARTTLS, none', () => ({ smtp_port: plain.port }), /offers none at that port/],
  ])('says within the time who begins with what: %s', async (_name, config, words) => {
    const since = performance.now();
    const work = sender.send('email', callTo(config()), { timeout_ms: 8000 });
    expect(await failure(work)).toMatch(words);
    expect(performance.now() - since).toBeLessThan(7000);
    for (const peer of [plain, starttls, implicit]) expect(peer.mails).toEqual([]);
  });

  it.each([
    ['530 5.7.0 Must issue a STARTTLS command first', /over TLS alone/],
    ['538 5.7.11 Encryption required for requested authentication mechanism', /over TLS alone/],
    ['530 5.7.1 Authentication required', /refused the user name or the password/],
  ])('tells a server that wants TLS from one that wants a password: %s', async (answer, words) => {
    const peer = await spoken(answer);
    const call = callTo({ smtp_port: peer.port, smtp_use_tls: false });
    expect(await failure(sender.send('email', call))).toMatch(words);
    peer.close();
  });

  it('sends nothing without TLS where TLS is asked for', async () => {
    expect(await failure(sender.send('email', callTo({ smtp_port: plain.port })))).toMatch(/^TLS/);
    expect(plain.mails).toEqual([]);
  });

  it('trusts no certificate that nobody vouches for', async () => {
    const strange = createSender({ allow_private_networks: true });
    expect(await failure(strange.send('email', callTo({ smtp_port: starttls.port })))).toMatch(
      /certificate of the other side is not trusted/,
    );
    await strange.stop();
    expect(starttls.mails).toEqual([]);
  });

  it('lets no name write a head or HTML', async () => {
    const name = 'x\r\nBcc: eve@example.com\r\n\r\n<script>alert(1)</script>';
    const alerts: Message['alerts'] = [
      { ...SAMPLE_ALERT, title: name, database_name: name, server_name: name },
    ];
    const template = '<p>{{.DatabaseName}}</p>';
    await sender.send('email', callTo(unprotected(), { message: { ...message, alerts } }));
    await sender.send('email', callTo(unprotected(), { message: { ...message, alerts, template } }));
    for (const { source, to } of plain.mails) {
      expect(to).toEqual(['ada@example.com', 'bob@example.com']);
      expect(headOf(source)).not.toMatch(/^Bcc:/im);
      expect(decoded(source.slice(source.indexOf('text/html')))).not.toContain('<script>');
    }
    expect(decoded(plain.mails[1]?.source ?? '')).toContain('<p>x Bcc: eve@example.com');
  });

  it.each([
    [{ data: 452 }, /try again later.*SMTP 452/],
    [{ data: 552 }, /too large.*SMTP 552/],
    [{ data: 554 }, /refused the message.*SMTP 554/],
    [{ recipient: 550 }, /refused the sender or the recipients/],
  ])('says in its own words what the server refused: %j', async (refuse, words) => {
    plain.refuse = refuse;
    expect(await failure(sender.send('email', callTo(unprotected())))).toMatch(words);
  });

  it('calls no address that is not allowed', async () => {
    const strict = createSender({ allow_private_networks: false });
    for (const smtp_host of ['127.0.0.1', 'localhost', '169.254.169.254'])
      expect(await failure(strict.send('email', callTo({ ...unprotected(), smtp_host })))).toMatch(
        /not allowed/,
      );
    await strict.stop();
    expect(plain.mails).toEqual([]);
  });

  it('gives up on servers that say nothing, drip, talk without end or speak something else', async () => {
    const banners: ((socket: net.Socket) => void)[] = [
      () => undefined,
      (socket) => {
        const timer = setInterval(() => socket.write('2'), 20);
        socket.once('close', () => clearInterval(timer));
      },
      (socket) => {
        const timer = setInterval(() => socket.write('220-x\r\n'.repeat(5000)), 1);
        socket.once('close', () => clearInterval(timer));
      },
      (socket) => socket.write('HTTP/1.1 400 secret-words\r\n\r\n'),
    ];
    for (const banner of banners) {
      const server = net.createServer((socket) => {
        socket.on('error', () => undefined);
        banner(socket);
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      const smtp_port = typeof address === 'object' && address !== null ? address.port : 0;
      const call = callTo({ smtp_port, smtp_use_tls: false });
      await failure(sender.send('email', call, { timeout_ms: 500 }));
      server.close();
    }
  });

  it('says what is missing', async () => {
    expect(await failure(sender.send('email', callTo(unprotected(), { recipients: [] })))).toMatch(
      /no recipient/,
    );
    const nowhere = createSender({ allow_private_networks: true });
    expect(await failure(nowhere.send('email', callTo({ smtp_port: 1, smtp_use_tls: false })))).toBe(
      'Nothing listens at that address and port.',
    );
    await nowhere.stop();
  });
});
