// What a hostile server does to a session, before it is ready and in the middle of a reply: it ends with a reason, and only that session.
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { SslMode } from '../kernel/server-address/ssl-mode.ts';
import { targetFailure as failure, testSettings } from '../testing/servers/target.ts';
import { isProof } from '../testing/tier.ts';
import { connectTarget, type TargetClient, type TargetError, type TargetSettings } from './connect.ts';
import { firstBefore } from './own-session.ts';

const servers: net.Server[] = [];
const sockets = new Set<net.Socket>();
const clients: TargetClient[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** Listens on loopback and lets `talk` do what it wants with each connection. */
async function listen(talk: (socket: net.Socket) => void): Promise<number> {
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    talk(socket);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

function settingsOf(port: number, over: Partial<TargetSettings> = {}): TargetSettings {
  const server = { host: '127.0.0.1', port, superuser: 'monitor', password: 'canary' };
  const short = { connect_timeout_ms: 400, statement_timeout_ms: 100 };
  return testSettings(server, { ssl_mode: 'disable', ...short, ...over });
}

function message(kind: string, body: Buffer | string = '', length?: number): Buffer {
  const bytes = Buffer.from(body);
  const header = Buffer.alloc(5);
  header.write(kind, 0, 'latin1');
  header.writeInt32BE(length ?? bytes.length + 4, 1);
  return Buffer.concat([header, bytes]);
}

const AUTHENTICATED = Buffer.concat([
  message('R', Buffer.alloc(4)),
  message('S', 'server_version\x0018.4\0'),
  message('K', Buffer.alloc(8)),
  message('Z', 'I'),
]);

function field(name: string, oid: number): Buffer {
  const facts = Buffer.alloc(18);
  facts.writeInt32BE(oid, 6);
  return Buffer.concat([Buffer.from(`${name}\0`), facts]);
}

const int16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const TWO_NUMBERS = message(
  'T',
  Buffer.concat([int16(2), field('backend_pid', 23), field('server_version_num', 23)]),
);
const SESSION_COLUMNS = message(
  'T',
  Buffer.concat([
    int16(3),
    field('backend_pid', 23),
    field('server_version_num', 23),
    field('is_direct', 16),
  ]),
);
const rowOf = (values: readonly string[]) =>
  message(
    'D',
    Buffer.concat([
      int16(values.length),
      ...values.map((value) => Buffer.concat([Buffer.from([0, 0, 0, value.length]), Buffer.from(value)])),
    ]),
  );
/** To a message of several statements, of which the last one answers. */
const SESSION_READY = Buffer.concat([
  ...firstBefore({ version_num: 180004 }).map(() => message('C', 'SET\0')),
  SESSION_COLUMNS,
  rowOf(['7', '180004', 't']),
  message('C', 'SELECT 1\0'),
  message('Z', 'I'),
]);

const TWO_NUMBERS_READ = Buffer.concat([
  message('1'),
  message('2'),
  TWO_NUMBERS,
  rowOf(['7', '180004']),
  message('C', 'SELECT 1\0'),
  message('Z', 'I'),
]);

/** Speaks well until the session is ready; then `answer` gets the socket at each statement. */
function polite(answer: (socket: net.Socket) => void): (socket: net.Socket) => void {
  return (socket) => {
    let received = 0;
    socket.on('data', () => {
      received += 1;
      if (received === 1) socket.write(AUTHENTICATED);
      else if (received === 2) socket.write(SESSION_READY);
      else answer(socket);
    });
  };
}

async function connectPolitely(
  answer: (socket: net.Socket) => void,
  over: Partial<TargetSettings> = {},
): Promise<TargetClient> {
  const port = await listen(polite(answer));
  const client = await connectTarget(settingsOf(port, { connect_timeout_ms: 5000, ...over }));
  clients.push(client);
  expect(client.server_version_num).toBe(180004);
  return client;
}

/** Writes the same bytes for as long as the other side takes them. */
function flood(socket: net.Socket, bytes: Buffer): void {
  const push = () => {
    while (socket.writable && socket.write(bytes));
  };
  socket.on('drain', push);
  push();
}

describe('F5: a listener that never answers', () => {
  it.each<[SslMode, string]>([
    ['disable', 'sign_in_timeout'],
    ['prefer', 'tls_timeout'],
    ['verify-full', 'tls_timeout'],
  ])('is given up in time with %s', async (ssl_mode, code) => {
    const port = await listen((socket) => socket.resume());
    expect(await failure(connectTarget(settingsOf(port, { ssl_mode })))).toMatchObject({
      step: 'timeout',
      code,
    });
    await expect.poll(() => sockets.size).toBe(0);
  });

  it('also when it goes silent within the handshake, or drips', async () => {
    const silent = await listen((socket) => socket.once('data', () => socket.write('S')));
    const settings = settingsOf(silent, { ssl_mode: 'require' });
    expect((await failure(connectTarget(settings))).code).toBe('tls_timeout');
    const timers: NodeJS.Timeout[] = [];
    const dripping = await listen((socket) => {
      timers.push(setInterval(() => socket.write(message('N', 'SNOTICE\0Mx\0\0')), 20));
    });
    expect((await failure(connectTarget(settingsOf(dripping)))).code).toBe('sign_in_timeout');
    for (const timer of timers) clearInterval(timer);
  });
});

describe('before the session is ready', () => {
  it.each<[string, Buffer | string, string]>([
    ['an HTTP server', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'bad_message'],
    ['noise', Buffer.alloc(100, 0xa5), 'bad_message'],
    ['a truncated error, which would spin the parser for ever', message('E', 'SFATAL\0'), 'bad_message'],
    ['a message of 1 GB', message('R', '', 1 << 30), 'bad_message'],
    ['a way to sign in that nobody knows', message('R', Buffer.from([0, 0, 0, 99])), 'unsupported_sign_in'],
    ['GSSAPI', message('R', Buffer.from([0, 0, 0, 7])), 'unsupported_sign_in'],
    [
      'SCRAM with nonsense',
      message('R', Buffer.concat([Buffer.from([0, 0, 0, 11]), Buffer.from('x=1')])),
      'bad_message',
    ],
    ['a row', rowOf(['1']), 'bad_message'],
    ['an ancient version', AUTHENTICATED.toString('latin1').replace('18.4', '9.06'), 'unsupported_version'],
  ])('%s is refused in words', async (_, bytes, code) => {
    const port = await listen((socket) => socket.once('data', () => socket.write(bytes, 'latin1')));
    const error = await failure(connectTarget(settingsOf(port, { connect_timeout_ms: 3000 })));
    expect(error.code).toBe(code);
    expect(error.message).not.toContain('canary');
    await expect.poll(() => sockets.size).toBe(0);
  });

  it('a server that closes at once is named', async () => {
    const port = await listen((socket) => socket.once('data', () => socket.end()));
    const error = await failure(connectTarget(settingsOf(port, { connect_timeout_ms: 5000 })));
    expect(error).toMatchObject({ step: 'connect', code: 'ECONNRESET' });
  });

  it('its words do not reach the caller', async () => {
    const said = 'FATAL\0C28P01\0Mcanary <script>';
    const port = await listen((socket) =>
      socket.once('data', () => socket.end(message('E', `S${said}\0\0`))),
    );
    const error = await failure(connectTarget(settingsOf(port, { connect_timeout_ms: 5000 })));
    expect(error.code).toBe('28P01');
    expect(error.message).not.toMatch(/canary|script/);
  });

  it.each(['prefer', 'require'] as const)(
    'bytes stuffed behind the answer about TLS are refused (%s)',
    async (ssl_mode) => {
      const port = await listen((socket) =>
        socket.once('data', () => socket.write(Buffer.concat([Buffer.from('S'), AUTHENTICATED]))),
      );
      const error = await failure(connectTarget(settingsOf(port, { ssl_mode, connect_timeout_ms: 5000 })));
      expect(error).toMatchObject({ step: 'protocol', code: 'bad_tls_reply' });
    },
  );

  it('an error in place of an answer about TLS sends prefer on without it, and stops require', async () => {
    let connections = 0;
    const port = await listen((socket) => {
      connections += 1;
      if (connections % 2 === 1) socket.once('data', () => socket.write(message('E', 'SFATAL\0Mno\0\0')));
      else polite(() => {})(socket);
    });
    const client = await connectTarget(settingsOf(port, { ssl_mode: 'prefer', connect_timeout_ms: 3000 }));
    clients.push(client);
    expect(client.tls).toBe(false);
    expect((await failure(connectTarget(settingsOf(port, { ssl_mode: 'require' })))).code).toBe(
      'tls_refused',
    );
  });
});

/** Of this thread alone: others run other tests. */
function ownMemory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('S17: in the middle of a reply', () => {
  const LIMIT = { max_socket_bytes: 4 * 1024 * 1024 };
  const HEADER = Buffer.concat([message('1'), message('2'), TWO_NUMBERS]);

  it('endless rows end at the cap, with the memory they were allowed', async () => {
    const rows = Buffer.concat(Array.from({ length: 1000 }, () => rowOf(['1', '2'])));
    const client = await connectPolitely((socket) => {
      socket.write(HEADER);
      flood(socket, rows);
    }, LIMIT);
    const before = ownMemory();
    expect((await failure(client.query('select'))).code).toBe('reply_too_large');
    expect(ownMemory() - before).toBeLessThan(200 * 1024 * 1024);
    await expect.poll(() => sockets.size).toBe(0);
  });

  it.each<[string, Buffer, string]>([
    ['a cell of 1 GB', message('D', Buffer.from([0, 2, 0x40, 0, 0, 0]), 0x40000000), 'reply_too_large'],
    ['a row of another width', rowOf(['1', '2', '3']), 'bad_message'],
    ['noise', Buffer.alloc(64, 0xff), 'bad_message'],
    ['an error without end', message('E', 'SERROR'), 'bad_message'],
  ])('%s ends the connection, and only that', async (_, bytes, code) => {
    const client = await connectPolitely((socket) => socket.write(Buffer.concat([HEADER, bytes])), LIMIT);
    const other = await connectPolitely((socket) => socket.write(TWO_NUMBERS_READ), LIMIT);
    expect(await failure(client.query('select'))).toMatchObject({ step: 'protocol', code });
    expect(await other.query('select')).toEqual([{ backend_pid: 7, server_version_num: 180004 }]);
  });

  // Our own timeout is over two seconds after the server's.
  if (isProof())
    it('silence ends at our own timeout, rows that drip too', async () => {
      const silent = await connectPolitely(() => {});
      expect(await failure(silent.query('select'))).toMatchObject({ step: 'timeout', code: 'no_answer' });
      const timers: NodeJS.Timeout[] = [];
      const dripping = await connectPolitely((socket) => {
        socket.write(HEADER);
        timers.push(setInterval(() => socket.write(rowOf(['1', '2'])), 50));
      });
      expect((await failure(dripping.query('select'))).code).toBe('no_answer');
      for (const timer of timers) clearInterval(timer);
    });

  it('a flood while nothing was asked ends too', async () => {
    const port = await listen((socket) => {
      polite(() => {})(socket);
      setTimeout(
        () => flood(socket, Buffer.concat(Array.from({ length: 500 }, () => message('Z', 'I')))),
        100,
      );
    });
    const client = await connectTarget(
      settingsOf(port, { connect_timeout_ms: 3000, max_socket_bytes: 100_000 }),
    );
    clients.push(client);
    const lost = Promise.withResolvers<TargetError>();
    client.onLost(lost.resolve);
    expect((await lost.promise).code).toBe('bad_message');
  });

  it('a value that cannot be read is a failed statement', async () => {
    const client = await connectPolitely((socket) =>
      socket.write(
        Buffer.concat([
          message('1'),
          message('2'),
          message('T', Buffer.concat([int16(1), field('json', 3802)])),
          rowOf(['{no']),
          message('C', 'SELECT 1\0'),
          message('Z', 'I'),
        ]),
      ),
    );
    expect(await failure(client.query('select'))).toMatchObject({ step: 'protocol', code: 'bad_value' });
    expect((await failure(client.query('select'))).code).toBe('bad_value');
  });

  it('a column named like an inherited member is only a column', async () => {
    const client = await connectPolitely((socket) =>
      socket.write(
        Buffer.concat([
          message('1'),
          message('2'),
          message('T', Buffer.concat([int16(1), field('__proto__', 3802)])),
          rowOf(['{"admin":true}']),
          message('C', 'SELECT 1\0'),
          message('Z', 'I'),
        ]),
      ),
    );
    const [row] = await client.query<{ admin?: boolean }>('select');
    expect(Object.prototype).not.toHaveProperty('admin');
    expect(row).toBeDefined();
  });
});
