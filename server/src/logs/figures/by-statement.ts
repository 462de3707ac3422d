// Statements by what they have in common, with how often they came and what that took. Guards: how many are kept is bounded; what
// the kept ones do not have is counted as that.
import { createHash } from 'node:crypto';
import { decoded } from '../text.ts';
import { normalized } from './fingerprint.ts';

const MOST_KEPT = 20_000;
/** Equal texts come again and again, as of prepared statements. */
const MOST_REMEMBERED = 2_000;
const LONGEST_REMEMBERED = 4_000;

interface Row {
  count: number;
  total: number;
  most: number;
  first: number;
  last: number;
}

export interface StatementRow extends Row {
  fingerprint: string;
  /** Without constants. */
  statement: string;
}

export class ByStatement {
  count = 0;
  total = 0;
  most = 0;
  /** Of statements that were one too many to be kept. */
  uncounted = 0;
  readonly #rows = new Map<string, Row>();
  readonly #remembered = new Map<string, Row>();

  add(statement: string, value: number, time: number): void {
    this.count += 1;
    this.total += value;
    if (value > this.most) this.most = value;
    const row = this.#rowOf(statement, time);
    if (row === undefined) {
      this.uncounted += 1;
      return;
    }
    row.count += 1;
    row.total += value;
    if (value > row.most) row.most = value;
    row.last = time;
  }

  top(count: number): StatementRow[] {
    return [...this.#rows]
      .toSorted(([, a], [, b]) => b.total - a.total || b.count - a.count)
      .slice(0, count)
      .map(([text, row]) => ({
        ...row,
        fingerprint: createHash('sha256').update(text, 'latin1').digest('hex').slice(0, 16),
        statement: decoded(text),
      }));
  }

  get kinds(): number {
    return this.#rows.size;
  }

  #rowOf(statement: string, time: number): Row | undefined {
    const remembered = this.#remembered.get(statement);
    if (remembered !== undefined) return remembered;
    const text = normalized(statement);
    let row = this.#rows.get(text);
    if (row === undefined) {
      if (this.#rows.size >= MOST_KEPT) return undefined;
      row = { count: 0, total: 0, most: 0, first: time, last: time };
      this.#rows.set(owned(text), row);
    }
    // Statements without constants come again as they are; the others hardly do.
    if (text.length >= statement.length && statement.length <= LONGEST_REMEMBERED) {
      if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear();
      this.#remembered.set(owned(statement), row);
    }
    return row;
  }
}

/** In a string of its own: a piece keeps the whole that it was cut from. */
const owned = (text: string) => Buffer.from(text, 'latin1').toString('latin1');
