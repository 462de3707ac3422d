// The ways in which a monitored server may be hostile, one line each: tests run all of them against every way in which
// the product speaks to a server. `says` is what our side makes of it; a list has one for each of several that are right.
import {
  AFTER_ROWS,
  answer,
  BEFORE_ROWS,
  columns,
  description,
  int16,
  int32,
  many,
  message,
  OIDS,
  READY,
  refusal,
  row,
  signedIn,
} from './backend-messages.ts';
import type { HostileMode, Wire } from './hostile-server.ts';

export interface Hostility extends HostileMode {
  /** The code of the error that it ends with; undefined: an answer that is taken for what it is, or refused as a value. */
  readonly says: string | undefined;
}

/** Words that nobody may ever be shown. */
export const SAID = 'said-by-a-hostile-server';

type At = HostileMode['at'];
type Line = readonly [name: string, says: string | undefined, act: (wire: Wire) => void];

const of = (at: At, lines: readonly Line[]): Hostility[] =>
  lines.map(([name, says, act]) => ({ name, at, says, act }));

const writes =
  (...parts: (Buffer | string)[]) =>
  (wire: Wire) => {
    for (const part of parts) wire.write(part);
  };
/** Says `first`, then the same without end. */
const floods =
  (flood: Buffer, ...first: Buffer[]) =>
  (wire: Wire) => {
    for (const part of first) wire.write(part);
    wire.flood(many(flood));
  };

const GARBAGE = 'bad_message';
const TOO_LARGE = 'reply_too_large';
const authentication = (kind: number, body: Buffer | string = '') =>
  message('R', Buffer.concat([int32(kind), Buffer.from(body)]));
const NOTICE = refusal(`SNOTICE\0M${SAID}\0`, 'N');
const SETTING = message('S', `a\0${SAID}\0`);
const SASL = authentication(10, 'SCRAM-SHA-256\0\0');

/** Asks for the same again whatever is answered. */
const asksForEver = (question: Buffer) => (wire: Wire) => {
  wire.hear(() => wire.write(question));
  wire.write(question);
};

/** SCRAM up to the server's first message, made of the client's nonce. */
const scram = (first: (nonce: string) => string) => (wire: Wire) => {
  wire.hear((bytes) => {
    const nonce = /r=([^,]+)/.exec(bytes.toString('latin1'))?.[1] ?? '';
    wire.write(authentication(11, first(nonce)));
  });
  wire.write(SASL);
};

const CONNECTING = of('connect', [
  ['says nothing, ever', 'sign_in_timeout', () => {}],
  ['closes at once', 'ECONNRESET', ({ socket }) => socket.end()],
  ['resets at once', 'ECONNRESET', ({ socket }) => void socket.resetAndDestroy()],
  ['is a web server', GARBAGE, writes('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['is noise', GARBAGE, floods(Buffer.alloc(64, 0xa5))],
  ['is zeros', GARBAGE, floods(Buffer.alloc(64))],
  ['drips notices', 'sign_in_timeout', (wire) => wire.drip(NOTICE, 100)],
  [
    'drips bytes of one message',
    'sign_in_timeout',
    (wire) => {
      wire.write(message('N', '', 60_000));
      wire.drip(Buffer.from('x'), 100);
    },
  ],
]);

const ENCRYPTING = of('tls', [
  ['agrees to TLS and says nothing', 'tls_timeout', writes('S')],
  [
    'agrees to TLS and speaks noise',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    (wire) => {
      wire.socket.once('data', () => wire.flood(Buffer.alloc(4096, 0xa5)));
      wire.write('S');
    },
  ],
  [
    'agrees to TLS with bytes behind it',
    'bad_tls_reply',
    writes(Buffer.concat([Buffer.from('S'), signedIn()])),
  ],
  ['answers TLS with another letter', 'bad_tls_reply', writes('X')],
  ['answers TLS with endless errors', 'tls_refused', floods(refusal(`SFATAL\0M${SAID}\0`))],
]);

const SIGNING_IN = of('start', [
  ['an error that does not end', GARBAGE, writes(message('E', 'SFATAL\0'))],
  ['an error without an end of text', GARBAGE, writes(message('E', 'SFATAL'))],
  ['an error of 100 MB', GARBAGE, floods(Buffer.alloc(4096, 0x61), message('E', '', 100_000_000))],
  ['an error with words of its own', '28P01', writes(refusal(`SFATAL\0C28P01\0M${SAID}\0`))],
  ['an error with an odd SQLSTATE', `<${SAID}>`, writes(refusal(`SFATAL\0C<${SAID}>\0Mno\0`))],
  ['a message of 1 GB', GARBAGE, writes(message('R', '', 1 << 30))],
  ['a negative length', GARBAGE, writes(message('R', '', -1))],
  ['a length of 0', GARBAGE, writes(message('R', '', 0))],
  ['a way to sign in that nobody knows', 'unsupported_sign_in', writes(authentication(99))],
  ['GSSAPI', 'unsupported_sign_in', writes(authentication(7))],
  ['SSPI', 'unsupported_sign_in', writes(authentication(9))],
  [
    'SASL with mechanisms without end',
    GARBAGE,
    writes(message('R', Buffer.concat([int32(10), Buffer.from('X\0')]))),
  ],
  ['SASL with unknown mechanisms', 'unsupported_sign_in', writes(authentication(10, 'SCRAM-MD4\0\0'))],
  ['SCRAM with 2^31 iterations', 'unsupported_sign_in', scram((nonce) => `r=${nonce}x,s=YWJj,i=2147483648`)],
  ['SCRAM without a salt', 'unsupported_sign_in', scram((nonce) => `r=${nonce}x,i=4096`)],
  ['SCRAM with another nonce', 'unsupported_sign_in', scram(() => 'r=other,s=YWJj,i=4096')],
  [
    'SCRAM with a nonce of 60 kB',
    'unsupported_sign_in',
    scram((nonce) => `r=${nonce}${'x'.repeat(60_000)},s=YWJj,i=0`),
  ],
  ['SCRAM that ends before it began', GARBAGE, writes(authentication(12, 'v=AAAA'))],
  ['asks for MD5 for ever', GARBAGE, asksForEver(authentication(5, 'salt'))],
  ['asks for the password for ever', GARBAGE, asksForEver(authentication(3))],
  ['a flood of questions for the password', GARBAGE, floods(authentication(3))],
  ['settings without end', TOO_LARGE, floods(SETTING)],
  ['notices without end', TOO_LARGE, floods(NOTICE)],
  ['keys without end', TOO_LARGE, floods(message('K', Buffer.alloc(8)))],
  ['versions of the protocol without end', GARBAGE, floods(message('v', Buffer.alloc(8)))],
  ['a row', GARBAGE, writes(row(['1']))],
  ['a copy', GARBAGE, writes(message('G', Buffer.from([0, 0, 0])))],
  ['a setting without its value', GARBAGE, writes(message('S', 'TimeZone\0'))],
  ['an ancient version', 'unsupported_version', writes(signedIn('9.0'))],
  [
    'a version of 60 kB',
    GARBAGE,
    (wire) => {
      wire.hear(() => wire.write(Buffer.alloc(64, 0xa5)));
      wire.write(signedIn('1'.repeat(60_000)));
    },
  ],
  ['ready again and again', GARBAGE, floods(READY, signedIn())],
]);

const wide = columns(1600);
const one = description(columns(1));
const begun = Buffer.concat([BEFORE_ROWS, one]);

const ANSWERING = of('answer', [
  ['rows without end', TOO_LARGE, floods(row(['x']), begun)],
  [
    'rows of 1,600 tiny columns without end',
    TOO_LARGE,
    floods(row(wide.map(() => 'x')), BEFORE_ROWS, description(wide)),
  ],
  ['empty rows without end', TOO_LARGE, floods(row([]), BEFORE_ROWS, description([]))],
  ['nulls without end', TOO_LARGE, floods(row([null]), begun)],
  [
    'a description of 32,767 columns',
    TOO_LARGE,
    writes(BEFORE_ROWS, message('T', Buffer.concat([int16(32_767), Buffer.alloc(19 * 32_767)]))),
  ],
  [
    'a description of 65,535 columns',
    TOO_LARGE,
    writes(BEFORE_ROWS, message('T', Buffer.concat([int16(65_535), Buffer.alloc(19 * 65_535)]))),
  ],
  ['a description without its columns', GARBAGE, writes(BEFORE_ROWS, message('T', int16(1)))],
  [
    'a column name of 100 MB',
    TOO_LARGE,
    floods(Buffer.alloc(4096, 0x61), BEFORE_ROWS, message('T', '', 100_000_000)),
  ],
  [
    'a cell of 1 GB',
    TOO_LARGE,
    floods(
      Buffer.alloc(4096, 0x61),
      begun,
      message('D', Buffer.concat([int16(1), int32(1 << 30)]), (1 << 30) + 10),
    ),
  ],
  ['a cell longer than its row', GARBAGE, writes(begun, message('D', Buffer.concat([int16(1), int32(9)])))],
  ['a cell of length -2', GARBAGE, writes(begun, message('D', Buffer.concat([int16(1), int32(-2)])))],
  [
    'bytes behind the last cell',
    GARBAGE,
    writes(begun, message('D', Buffer.concat([int16(1), int32(-1), int32(0)]))),
  ],
  ['a row of another width', GARBAGE, writes(begun, row(['1', '2']))],
  ['a row of negative width', GARBAGE, writes(begun, message('D', int16(-1)))],
  ['rows without a description', GARBAGE, floods(row(['x']), BEFORE_ROWS)],
  ['descriptions without end', GARBAGE, floods(one, BEFORE_ROWS)],
  ['ends without end', GARBAGE, floods(message('C', 'SELECT 1\0'), begun)],
  ['rows after the end', GARBAGE, floods(row(['x']), begun, message('C', 'SELECT 1\0'))],
  ['parsed again and again', GARBAGE, floods(message('1'))],
  ['ready again and again', GARBAGE, floods(READY, answer(columns(1), []))],
  ['answers to what nobody asked', GARBAGE, floods(answer(columns(1), [['x']]))],
  ['notices without end', TOO_LARGE, floods(NOTICE, begun)],
  ['settings without end', TOO_LARGE, floods(SETTING, begun)],
  [
    'notifications without end',
    TOO_LARGE,
    floods(message('A', Buffer.concat([int32(1), Buffer.from('c\0p\0')])), begun),
  ],
  [
    'errors without end',
    /* The first one is the answer; what follows ends the session. */ 'XX000',
    floods(refusal(`SERROR\0CXX000\0M${SAID}\0`)),
  ],
  ['an error of 100 MB', TOO_LARGE, floods(Buffer.alloc(4096, 0x61), message('E', '', 100_000_000))],
  ['an error that does not end', GARBAGE, writes(message('E', 'SERROR\0'))],
  ['the end of the session, and no end', '57P01', writes(refusal(`SFATAL\0C57P01\0M${SAID}\0`))],
  ['a request for a copy', GARBAGE, writes(message('G', Buffer.from([0, 0, 0])))],
  [
    'a copy without end',
    GARBAGE,
    floods(message('d', 'x'.repeat(1000)), message('H', Buffer.from([0, 0, 0]))),
  ],
  ['a copy in both directions', GARBAGE, writes(message('W', Buffer.from([0, 0, 0])))],
  ['a suspended portal', GARBAGE, writes(begun, message('s'))],
  ['a description of parameters', GARBAGE, writes(message('t', int16(0)))],
  ['an unknown kind of message', GARBAGE, writes(message('!'))],
  ['zeros', GARBAGE, floods(Buffer.alloc(64))],
  ['silence', 'no_answer', () => {}],
  [
    'rows that drip',
    'no_answer',
    (wire) => {
      wire.write(begun);
      wire.drip(row(['x']), 500);
    },
  ],
  ['an answer without ready', 'no_answer', writes(begun, message('C', 'SELECT 1\0'))],
  [
    'closes within a row',
    'ECONNRESET',
    ({ socket }) => socket.end(Buffer.concat([begun, row(['x']).subarray(0, 8)])),
  ],
  [
    'resets within a row',
    'ECONNRESET',
    (wire) => {
      wire.write(begun);
      setTimeout(() => wire.socket.resetAndDestroy(), 50);
    },
  ],
  [
    'text where a number is declared',
    undefined,
    writes(answer([{ name: 'value', oid: OIDS.int4 }], [['not a number']])),
  ],
  [
    'lists as deep as they are long',
    undefined,
    writes(answer([{ name: 'value', oid: OIDS.texts }], [['{'.repeat(200_000)]])),
  ],
  [
    'documents as deep as they are long',
    undefined,
    writes(answer([{ name: 'value', oid: OIDS.json }], [[`${'['.repeat(200_000)}${']'.repeat(200_000)}`]])),
  ],
  ['documents that do not end', 'bad_value', writes(answer([{ name: 'value', oid: OIDS.json }], [['{no']]))],
  [
    'names that are no UTF-8',
    undefined,
    writes(answer([{ name: Buffer.from([0xff, 0xfe]) }], [[Buffer.from([0xc3, 0x28])]])),
  ],
  [
    'names that objects inherit',
    undefined,
    writes(answer([{ name: '__proto__', oid: OIDS.json }], [['{"admin":true}']])),
  ],
  ['the same name twice, and no rows', undefined, writes(answer([{ name: 'value' }], []))],
  ['nothing at all', undefined, writes(BEFORE_ROWS, message('n'), AFTER_ROWS)],
  ['an empty statement', undefined, writes(BEFORE_ROWS, message('n'), message('I'), READY)],
]);

export const HOSTILITIES: readonly Hostility[] = [...CONNECTING, ...ENCRYPTING, ...SIGNING_IN, ...ANSWERING];
