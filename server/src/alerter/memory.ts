// What the alerter remembers between rounds: which runs it has judged, and what it has to ask again. Guards: nothing is lost
// when it forgets all of this, since a round without memory judges the newest of everything.
import { type KnownRule, knownRules } from '../areas/alert-rules/alert-rules.service.ts';
import type { RulesInForce } from '../areas/alert-rules/in-force.service.ts';
import type { RecentRun } from '../store/read/recent-runs.ts';

const MINUTE_MS = 60_000;
/** Samples may arrive in the datastore so much later than they were taken. */
const OVERLAP_MS = 2 * MINUTE_MS;
/** What the first round looks at: the longest interval of a probe that is judged, and some. */
const ALL_MS = 240 * MINUTE_MS;

export interface Work {
  rule: KnownRule;
  connection_ids: number[];
}

export interface Seen {
  runs: readonly RecentRun[];
  watched: readonly { connection_id: number }[];
  waiting: ReadonlySet<number>;
  inForce: RulesInForce;
  now: number;
}

const keyOf = (connection_id: number, probe: string) => `${connection_id} ${probe}`;

export class Memory {
  /** The newest run that was judged, by connection and probe. */
  #judged = new Map<string, number>();
  #next = new Map<string, number>();
  /** Connections on which a rule found what was held back, by the rule's name. */
  #again = new Map<string, Set<number>>();
  #nextAgain = new Map<string, Set<number>>();
  #mark: string | undefined;
  #nextMark: string | undefined;
  #minute = Number.NEGATIVE_INFINITY;
  #nextMinute = Number.NEGATIVE_INFINITY;

  /** Since when a round has to look; all times are milliseconds since the epoch. */
  lookFrom(now: number): number {
    return this.#mark === undefined ? now - ALL_MS : Math.min(now, this.#minute) - OVERLAP_MS;
  }

  askAgain(name: string, connection_id: number): void {
    const mine = this.#nextAgain.get(name) ?? new Set<number>();
    this.#nextAgain.set(name, mine.add(connection_id));
  }

  /** Which rules have something to judge, and on which connections. */
  workOf({ runs, watched, waiting, inForce, now }: Seen): Work[] {
    const ids = watched.map(({ connection_id }) => connection_id).filter((id) => !waiting.has(id));
    const among = new Set(ids);
    const isAnew = this.#mark !== inForce.mark;
    const isMinute = now - this.#minute >= MINUTE_MS || now < this.#minute;
    this.#nextMark = inForce.mark;
    this.#nextMinute = isMinute ? now : this.#minute;
    this.#nextAgain = new Map();
    this.#next = new Map(runs.map(({ connection_id, probe, at }) => [keyOf(connection_id, probe), at]));
    const news = new Map<string, number[]>();
    for (const { connection_id, probe, at } of runs) {
      if (!among.has(connection_id) || this.#judged.get(keyOf(connection_id, probe)) === at) continue;
      const mine = news.get(probe);
      if (mine) mine.push(connection_id);
      else news.set(probe, [connection_id]);
    }
    return [...knownRules.values()].flatMap((rule) => {
      const isTimed = rule.metric.value.kind === 'staleness';
      const asked = isAnew || (isTimed && isMinute) ? ids : isTimed ? [] : (news.get(rule.probe.name) ?? []);
      const again = isMinute || isTimed ? [...(this.#again.get(rule.rule.name) ?? [])] : [];
      if (!isMinute)
        for (const id of this.#again.get(rule.rule.name) ?? []) this.askAgain(rule.rule.name, id);
      const connection_ids = [...new Set([...asked, ...again.filter((id) => among.has(id))])].filter(
        (id) => inForce.of(id, rule.rule.name).is_enabled,
      );
      return connection_ids.length === 0 ? [] : [{ rule, connection_ids }];
    });
  }

  /** The round was written: what it judged is not judged again. */
  done(): void {
    // What is not in the window now is older than what was judged, and comes back with another time.
    this.#judged = this.#next;
    this.#again = this.#nextAgain;
    this.#mark = this.#nextMark;
    this.#minute = this.#nextMinute;
  }
}
