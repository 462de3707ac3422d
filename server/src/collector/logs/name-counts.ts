// How many events of a piece of a log name which user and which application. Guards: names come from clients, so they are masked as others are,
// and above a number of them the rest is counted together.
import { Masker } from '../../assistant/ai-runs/masking.ts';
import type { NameCount, NameKind } from '../../estate/server-logs/log-rows.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import type { EventClass, LogEvent } from '../../logs/types.ts';
import { MASKED, nameOf } from './kept-events.ts';

const SLOT_MS = 10 * MINUTE_MS;
/** Of a kind in one piece. */
const MOST_NAMES = 50;
const OTHERS = '(others)';
const ERRORS: ReadonlySet<string> = new Set(['ERROR', 'FATAL', 'PANIC']);

export class NameCounts {
  readonly #rows = new Map<string, NameCount>();
  /** As they are stored, by kind and by what the log says. */
  readonly #names = { user: new Map<string, string>(), application: new Map<string, string>() };

  /** Who cannot sign in chooses names freely, so events of connections are not counted. */
  add({ user, application, severity }: LogEvent, one: EventClass | undefined, at: number): void {
    if (one?.group === 'connections') return;
    const slot = Math.floor(at / SLOT_MS) * SLOT_MS;
    const errors = ERRORS.has(severity) ? 1 : 0;
    if (user !== '' && user !== '[unknown]') this.#count(slot, ['user', user], errors);
    if (application !== '' && application !== '[unknown]')
      this.#count(slot, ['application', application], errors);
  }

  get rows(): NameCount[] {
    return [...this.#rows.values()];
  }

  #count(slot: number, [kind, said]: [NameKind, string], errors: number): void {
    const name = this.#nameOf(kind, said);
    const key = JSON.stringify([slot, kind, name]);
    const row = this.#rows.get(key) ?? { slot, kind, name, events: 0, errors: 0 };
    row.events += 1;
    row.errors += errors;
    this.#rows.set(key, row);
  }

  #nameOf(kind: NameKind, said: string): string {
    const names = this.#names[kind];
    const known = names.get(said);
    if (known !== undefined) return known;
    if (names.size >= MOST_NAMES) return OTHERS;
    const name = kind === 'user' ? nameOf(said) : new Masker(MASKED).text(nameOf(said));
    names.set(said, name);
    return name;
  }
}
