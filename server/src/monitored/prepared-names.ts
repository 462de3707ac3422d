// Names of the statements that a session prepares once and asks again and again. Guards: a server keeps so many and no
// more; where names do not hold, because a pooler hands us from one session of the server to another, none are used. The
// same text has the same name everywhere, so that a pooler never answers one statement with another.
import { createHash } from 'node:crypto';
import { withVisibleName } from '../kernel/statement-name.ts';
import type { WireFields } from './wire-rows.ts';

/** What a server says where names do not hold: there is no such statement, or there is one already. */
export const NAME_LOST: readonly string[] = ['26000', '42P05'];

const MOST = 200;
/** Of all sessions together; a few hundred are usual. */
const MOST_SHARED = 2000;
const HASH_LENGTH = 32;

export interface PreparedStatement {
  readonly asked: string;
  readonly name: string;
  /** As it is sent. */
  readonly text: string;
  /** The messages that run it without parameters once it is prepared. */
  readonly run: Buffer;
}

/** A message of the protocol: its kind, its length and its body. */
export function message(kind: string, body: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.write(kind, 'latin1');
  header.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([header, body]);
}

/** Bind without parameters and every column as text, Execute for all rows, Sync; all by the unnamed portal. */
function runOf(name: string): Buffer {
  const bind = message('B', Buffer.concat([Buffer.from(`\0${name}\0`), Buffer.alloc(6)]));
  return Buffer.concat([bind, message('E', Buffer.alloc(5)), message('S', Buffer.alloc(0))]);
}

/** Hundreds of sessions ask the same statements: what is kept of a text is kept once. */
const shared = new Map<string, PreparedStatement>();

function namedOf(asked: string): PreparedStatement {
  const known = shared.get(asked);
  if (known) return known;
  const hash = createHash('sha256').update(asked).digest('hex').slice(0, HASH_LENGTH);
  const name = `m_${hash}`;
  const named = { asked, name, text: withVisibleName(asked), run: runOf(name) };
  // Whoever has one of them keeps it.
  if (shared.size >= MOST_SHARED) shared.clear();
  shared.set(asked, named);
  return named;
}

export class PreparedNames {
  readonly #names = new Map<string, PreparedStatement>();
  readonly #fields = new Map<string, WireFields>();
  #isUseless = false;

  /** Undefined: it is sent without a name, thus prepared each time. */
  of(text: string): PreparedStatement | undefined {
    if (this.#isUseless) return undefined;
    const known = this.#names.get(text);
    if (known || this.#names.size >= MOST) return known;
    const named = namedOf(text);
    this.#names.set(named.asked, named);
    return named;
  }

  /** No names from now on. */
  leave(): void {
    this.#isUseless = true;
  }

  /** The columns of what has this name, once the server has told them. */
  fieldsOf(name: string | undefined): WireFields | undefined {
    return name === undefined || this.#isUseless ? undefined : this.#fields.get(name);
  }

  /** The server has answered what has this name, with these columns. */
  answered(name: string | undefined, fields: WireFields): void {
    if (name !== undefined) this.#fields.set(name, fields);
  }

  /** A statement was refused with this SQLSTATE. */
  refused(code: string | undefined): void {
    if (code !== undefined && NAME_LOST.includes(code)) this.#isUseless = true;
  }
}
