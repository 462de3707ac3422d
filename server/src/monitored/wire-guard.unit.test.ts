import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReplyLimits } from './settings.ts';
import { WireGuard } from './wire-guard.ts';
import { WireError } from './wire-messages.ts';
import { WireFields, WireRow } from './wire-rows.ts';

function message(kind: string, body: Buffer | string = '', length?: number): Buffer {
  const bytes = Buffer.from(body);
  const header = Buffer.alloc(5);
  header.write(kind, 0, 'latin1');
  header.writeInt32BE(length ?? bytes.length + 4, 1);
  return Buffer.concat([header, bytes]);
}

const int16 = (value: number) => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};
const int32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

const description = (names: readonly string[]) =>
  message(
    'T',
    Buffer.concat([
      int16(names.length),
      ...names.map((name) => Buffer.concat([Buffer.from(`${name}\0`), Buffer.alloc(18)])),
    ]),
  );
const row = (values: readonly (string | null)[]) =>
  message(
    'D',
    Buffer.concat([
      int16(values.length),
      ...values.map((value) =>
        value === null ? int32(-1) : Buffer.concat([int32(Buffer.byteLength(value)), Buffer.from(value)]),
      ),
    ]),
  );

const NOTICE = message('N', 'SNOTICE\0Mhello\0\0');
const NOTIFICATION = message('A', Buffer.concat([int32(1), Buffer.from('channel\0payload\0')]));
const DONE = Buffer.concat([message('C', 'SELECT 2\0'), message('Z', 'I')]);
const SIGN_IN = Buffer.concat([
  message('R', Buffer.concat([int32(10), Buffer.from('SCRAM-SHA-256\0\0')])),
  message('R', int32(0)),
  message('S', 'TimeZone\0UTC\0'),
  message('K', Buffer.alloc(8)),
  message('Z', 'I'),
]);
const ROWS = Buffer.concat([
  message('1'),
  message('2'),
  description(['a', 'b']),
  row(['x', null]),
  NOTICE,
  row(['', 'long'.repeat(50)]),
  DONE,
]);
const NO_ROWS = Buffer.concat([message('1'), message('2'), message('n'), DONE]);
const REFUSED = Buffer.concat([message('1'), message('E', 'SERROR\0C42P01\0\0'), message('Z', 'I')]);
/** A whole life: signing in, three statements sent at once, and what a server may say by itself. */
const REPLY = Buffer.concat([SIGN_IN, NOTICE, ROWS, NO_ROWS, REFUSED, NOTIFICATION]);

/** A guard behind a server that has signed us in and was asked something. */
function readyGuard(limit: number, limits: ReplyLimits = {}): WireGuard {
  const guard = new WireGuard(limit);
  guard.push(message('Z', 'I'));
  guard.expect(limits);
  return guard;
}

/** One that was asked as often as REPLY answers. */
function askedGuard(): WireGuard {
  const guard = new WireGuard(10_000);
  for (let asked = 0; asked < 3; asked += 1) guard.expect();
  return guard;
}

const feed = (guard: WireGuard, chunks: readonly Buffer[]) =>
  Buffer.concat(chunks.flatMap((chunk) => guard.push(chunk) ?? []));

describe('a well-formed reply', () => {
  it('passes unchanged, however it is cut into chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: REPLY.length - 1 }), { maxLength: 12 }), (cuts) => {
        const offsets = [0, ...cuts.sort((a, b) => a - b), REPLY.length];
        const chunks = offsets.slice(1).map((end, index) => REPLY.subarray(offsets[index], end));
        expect(feed(askedGuard(), chunks).equals(REPLY)).toBe(true);
      }),
    );
  });

  it('is handed on only in whole messages', () => {
    const guard = readyGuard(10_000);
    const whole = message('C', 'SELECT 1\0');
    expect(guard.push(whole.subarray(0, 7))).toBeUndefined();
    expect(guard.push(whole.subarray(7))).toEqual(whole);
  });
});

describe('an answer that somebody takes as it came', () => {
  const FIELDS = [
    { name: 'a', dataTypeID: 20 },
    { name: 'b', dataTypeID: 25 },
  ];
  const cells = fc.array(fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 63n }).map(String), fc.string()), {
    maxLength: 5,
  });

  it('has its rows with whoever asked, and with the driver what it prepared and when it ended, however it is cut', () => {
    fc.assert(
      fc.property(cells, fc.array(fc.nat(), { maxLength: 6 }), (sent, cuts) => {
        const rest = [message('1'), message('2'), description(['a', 'b']), NOTICE, DONE];
        const [front, end] = [Buffer.concat(rest.slice(0, 3)), Buffer.concat(rest.slice(3))];
        const whole = Buffer.concat([front, ...sent.map((one) => row(one)), end, ROWS]);
        const guard = new WireGuard(1_000_000);
        guard.push(message('Z', 'I'));
        const reply = guard.expect({ isRaw: true });
        guard.expect();
        const offsets = [0, ...cuts.map((cut) => cut % whole.length).sort((a, b) => a - b), whole.length];
        const chunks = offsets.slice(1).map((to, index) => whole.subarray(offsets[index], to));
        const passed = [message('1'), description(['a', 'b']), NOTICE, message('Z', 'I'), ROWS];
        expect(feed(guard, chunks).equals(Buffer.concat(passed))).toBe(true);
        const columns = new WireFields(FIELDS);
        const rows = reply.raw?.map((span) => new WireRow(columns, span)) ?? [];
        expect(rows.map((one) => one.read())).toEqual(
          sent.map(([a, b]) => ({ a: Number.isSafeInteger(Number(a)) ? Number(a) : a, b })),
        );
        expect(rows.map((one) => one.cell('b'))).toEqual(sent.map(([, b]) => b));
        const alike = (of: (index: number) => unknown) =>
          rows.map((_, one) => rows.map((__, other) => of(one) === of(other)));
        expect(alike((index) => rows[index]?.digest())).toEqual(alike((index) => String(sent[index])));
      }),
    );
  });

  it('comes without its columns where they are known, and then in no other form', () => {
    const known = (...messages: Buffer[]) => {
      const guard = new WireGuard(1_000_000);
      guard.push(message('Z', 'I'));
      const reply = guard.expect({ isRaw: true, known: 2 });
      const passed = guard.push(Buffer.concat(messages));
      return { passed, rows: reply.raw?.length };
    };
    const bound = message('2');
    expect(known(bound, row(['x', 'y']), row(['z', null]), DONE)).toEqual({
      passed: message('Z', 'I'),
      rows: 2,
    });
    expect(known(bound, DONE).rows).toBe(0);
    for (const wrong of [
      [row(['x', 'y'])],
      [bound, row(['x'])],
      [bound, row(['x', 'y', 'z'])],
      [bound, description(['a', 'b']), row(['x', 'y'])],
    ])
      expect(() => known(...wrong)).toThrow('garbage');
  });

  it('counts against the limits like any other', () => {
    const guard = new WireGuard(1_000_000);
    guard.push(message('Z', 'I'));
    guard.expect({ isRaw: true, rows: 1 });
    guard.push(Buffer.concat([message('1'), message('2'), description(['a']), row(['x'])]));
    expect(() => guard.push(row(['y']))).toThrow('more than 1 rows');
  });

  it('has other digests under other columns', () => {
    const span = { buffer: row(['1', '2']), from: 7, to: row(['1', '2']).length };
    const of = (fields: typeof FIELDS) => new WireRow(new WireFields(fields), span).digest();
    expect(of(FIELDS)).toBe(of(FIELDS));
    expect(of(FIELDS)).not.toBe(of(FIELDS.map((field) => ({ ...field, dataTypeID: 25 }))));
  });
});

describe('S17: a lying server', () => {
  it.each([
    ['an unknown kind of message', message('!')],
    ['a length below 4', message('Z', 'I', 3)],
    ['a negative length', message('D', '', -1)],
    ['an error that does not end', message('E', 'SERROR\0')],
    ['an error without an end of text', message('E', 'SERROR')],
    ['an empty error', message('E')],
    ['a row without a description', row(['x'])],
    ['a row with more fields than described', Buffer.concat([description(['a']), row(['x', 'y'])])],
    [
      'a field longer than its row',
      Buffer.concat([description(['a']), message('D', Buffer.concat([int16(1), int32(9)]))]),
    ],
    [
      'a field of length -2',
      Buffer.concat([description(['a']), message('D', Buffer.concat([int16(1), int32(-2)]))]),
    ],
    [
      'bytes behind the last field',
      Buffer.concat([description(['a']), message('D', Buffer.concat([int16(1), int32(-1), int32(0)]))]),
    ],
    ['a description that is cut', message('T', int16(2))],
    ['a negative number of fields', message('T', int16(-1))],
    ['a setting without its value', message('S', 'TimeZone\0')],
    ['sign-in ways without end', message('R', Buffer.concat([int32(10), Buffer.from('SCRAM-SHA-256\0')]))],
    ['a state that is too long', message('Z', 'II')],
    ['an HTTP server', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('%s is an error', (_, bytes) => {
    expect(() => readyGuard(10_000).push(bytes)).toThrow(WireError);
  });

  it.each([
    ['a web server', Buffer.from('HTTP/1.1 400 Bad Request')],
    ['a row', Buffer.concat([description([]), row([])])],
    ['a notice of 100 kB', message('N', `S${'x'.repeat(100_000)}\0\0`)],
  ])('before signing in, %s is an error', (_, bytes) => {
    expect(() => new WireGuard(1_000_000).push(bytes)).toThrow('garbage');
  });

  it('of what has begun to sign in, a notice of 100 kB is too large', () => {
    const guard = new WireGuard(1_000_000);
    guard.push(message('R', int32(0)));
    expect(() => guard.push(message('N', `S${'x'.repeat(100_000)}\0\0`))).toThrow('more than 64 kB');
  });

  it('a message of 1 GB is refused by its header alone', () => {
    const header = Buffer.concat([description(['a']), message('D', '', 1 << 30)]);
    expect(() => readyGuard(1 << 20).push(header)).toThrow('too_large');
  });

  it('endless rows are refused when the reply is full, small rows too', () => {
    const guard = readyGuard(100_000);
    guard.push(description([]));
    const rows = Buffer.concat(Array.from({ length: 1000 }, () => row([])));
    expect(() => {
      for (let round = 0; round < 100; round += 1) guard.push(rows);
    }).toThrow('too_large');
  });

  it('the next reply has the whole allowance', () => {
    const guard = readyGuard(1000);
    for (let round = 0; round < 10; round += 1) {
      guard.push(message('C', `${'x'.repeat(500)}\0`));
      guard.push(message('Z', 'I'));
      guard.expect();
    }
    guard.push(NOTICE);
    expect(() => guard.push(message('C', `${'x'.repeat(990)}\0`))).toThrow('too_large');
  });

  it('no garbage does anything but pass whole or be refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const guard = readyGuard(10_000);
        try {
          const passed = guard.push(Buffer.from(bytes));
          expect(passed?.length ?? 0).toBeLessThanOrEqual(bytes.length);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }),
    );
  });
});

it('what was well before the first wrong message is handed on with the error', () => {
  const guard = new WireGuard(10_000);
  guard.push(SIGN_IN);
  guard.expect();
  guard.expect({ rows: 1 });
  let thrown: unknown;
  try {
    guard.push(Buffer.concat([ROWS, ROWS]));
  } catch (error) {
    thrown = error;
  }
  const first = ROWS.length + ROWS.indexOf(NOTICE) + NOTICE.length;
  expect(thrown).toBeInstanceOf(WireError);
  expect(thrown instanceof WireError && thrown.before).toEqual(
    Buffer.concat([ROWS, ROWS]).subarray(0, first),
  );
});

describe('caps bite before a row is made', () => {
  const wide = Array.from({ length: 1600 }, (_, index) => `c${index}`);
  const narrow = Buffer.concat([message('1'), message('2'), description(['a', 'b'])]);

  it('a description of 1,600 columns is refused, and no row of it is handed on', () => {
    const guard = readyGuard(1 << 25);
    expect(() => guard.push(Buffer.concat([description(wide), row(wide)]))).toThrow('more than 128 columns');
    expect(() => readyGuard(1 << 25, { columns: 2 }).push(description(['a', 'b', 'c']))).toThrow('2 columns');
  });

  it('a row more than asked for is refused', () => {
    const guard = readyGuard(1 << 25, { rows: 2 });
    guard.push(Buffer.concat([narrow, row(['x', 'y']), row(['x', 'y'])]));
    expect(() => guard.push(row(['x', 'y']))).toThrow('more than 2 rows');
  });

  it('bytes are counted for each statement, by the header alone', () => {
    const guard = readyGuard(1 << 25, { bytes: 64 * 1024 });
    guard.push(narrow);
    expect(() => guard.push(message('D', '', 70_000))).toThrow('more than 64 kB');
  });

  it('empty cells cost what they take in memory', () => {
    const names = wide.slice(0, 100);
    const empty = row(names.map(() => null));
    const guard = readyGuard(100_000);
    guard.push(description(names));
    let rows = 0;
    expect(() => {
      for (; rows < 1000; rows += 1) guard.push(empty);
    }).toThrow('too_large');
    expect(rows * names.length * 16).toBeLessThan(100_000);
  });

  it('what is held is counted until it is freed', () => {
    const guard = new WireGuard(100_000);
    guard.push(SIGN_IN);
    const [first, second] = [guard.expect(), guard.expect()];
    guard.push(Buffer.concat([ROWS, ROWS.subarray(0, 200)]));
    const both = guard.held;
    expect(both).toBeGreaterThan(ROWS.length + 200);
    first.free();
    expect(guard.held).toBeLessThan(both - ROWS.length + 1);
    first.free();
    guard.push(ROWS.subarray(200));
    second.free();
    expect(guard.held).toBe(0);
  });
});

describe('out of order', () => {
  const narrow = description(['a']);
  it.each([
    ['a second description', Buffer.concat([narrow, narrow])],
    ['a row before its description', row(['x'])],
    ['a row after the end', Buffer.concat([narrow, message('C', 'X\0'), row(['x'])])],
    ['two ends', Buffer.concat([message('C', 'X\0'), message('C', 'X\0')])],
    ['ready without an end', message('Z', 'I')],
    ['ready twice', Buffer.concat([DONE, message('Z', 'I')])],
    ['a copy', message('G', Buffer.concat([Buffer.from([0]), int16(0)]))],
    ['a description of parameters', message('t', int16(0))],
    ['a reply to nothing', Buffer.concat([DONE, NO_ROWS])],
  ])('%s is an error', (_, bytes) => {
    expect(() => readyGuard(10_000).push(bytes)).toThrow('garbage');
  });

  it('what was not asked for is limited, before signing in and between statements', () => {
    const talk = (guard: WireGuard, bytes: Buffer) => () => {
      for (let round = 0; round < 100_000; round += 1) guard.push(bytes);
    };
    const setting = message('S', 'a\0b\0');
    expect(talk(new WireGuard(1 << 25), setting)).toThrow('more than 256 kB');
    expect(talk(new WireGuard(1 << 25), message('R', int32(3)))).toThrow('garbage');
    const idle = new WireGuard(1 << 25);
    idle.push(SIGN_IN);
    expect(talk(idle, NOTICE)).toThrow('more than 64 kB');
    expect(talk(readyGuard(1 << 25, { bytes: 10_000 }), NOTICE)).toThrow('more than 10 kB');
  });
});
