// How background work does, noted in the datastore by each process, so that any process can say that something fails. Guards: what
// cannot be noted stops no work; a process that works writes once a minute, and what a process said of its work counts for a few minutes.
import { randomUUID } from 'node:crypto';
import type { Clock } from './clock.ts';
import { refusalOf } from './datastore-errors.ts';
import type { Db } from './db.ts';
import { Fault } from './errors.ts';
import type { Figure } from './figures.ts';
import { type Sql, sql } from './sql.ts';
import { type Round, underWay } from './under-way.ts';

/** What background work is called, and what it means that it fails. */
export const PARTS = {
  alerter: 'Alert evaluation is failing',
  findings: 'Findings evaluation is failing',
  delivery: 'Notification delivery is failing',
  blackouts: 'Scheduled silences are not starting',
  reports: 'Scheduled reports are not being sent',
  maintenance: 'Datastore maintenance is failing',
  compaction: 'Metric compaction is failing',
  disk: 'Free disk space is low',
} as const;
export type PartName = keyof typeof PARTS;

const isPart = (name: string): name is PartName => name in PARTS;

/** A failure that has lasted so long is said. */
const FAILING_SECONDS = 60;
/** A round that has got no answer for so long hangs. */
const HANGS_MS = 60_000;
const LOOK_MS = 5000;
/** What is done with many answers may take long; all other rounds are short. */
const LONG: ReadonlySet<PartName> = new Set(['findings', 'maintenance', 'compaction']);
const HANGS =
  'It has not finished for more than a minute. The datastore may be locked: look for blocked sessions there.';
const HEARD_SECONDS = 300;
const REPEAT_MS = 60_000;

interface Noted {
  part: PartName;
  owner: string;
  failure: string | null;
  /** For how long it has failed. */
  seconds: number;
}

const noteState = (state: Noted): Sql => sql`
  /* parts.note */
  insert into matriarch.part_states as p (part, owner, failing_since, failure, reported_at, succeeded_at)
  values (
    ${state.part}, ${state.owner},
    case when ${state.failure}::text is not null then now() - make_interval(secs => ${state.seconds}) end, ${state.failure}::text, now(),
    case when ${state.failure}::text is null then now() end
  )
  on conflict (part, owner) do update
  set
    failing_since = case when excluded.failure is not null then coalesce(p.failing_since, excluded.failing_since) end,
    failure = excluded.failure,
    reported_at = now(),
    succeeded_at = coalesce(excluded.succeeded_at, p.succeeded_at)`;

const forgetOwner = (owner: string): Sql => sql`
  /* parts.forget */
  delete from matriarch.part_states
  where owner = ${owner} or reported_at < now() - interval '1 hour'`;

export interface FailingPart {
  part: PartName;
  title: string;
  since: string;
  failure: string;
}

const failsStill = sql`
      p.failing_since <= now() - make_interval(secs => ${FAILING_SECONDS})
      and p.reported_at > now() - make_interval(secs => ${HEARD_SECONDS})`;

/** Whether \`failingParts\` would name any. */
export const isAnyFailing = sql`exists (select from matriarch.part_states p where ${failsStill})`;

/** What has failed for a minute and does so still. */
export async function failingParts(db: Db): Promise<FailingPart[]> {
  const rows = await db.rows<{ part: string; since: string; failure: string }>(sql`/* parts.failing */
    select distinct on (p.part) p.part, p.failing_since as since, p.failure
    from matriarch.part_states p
    where ${failsStill}
    order by p.part, p.failing_since`);
  return rows.flatMap(({ part, ...rest }) => (isPart(part) ? [{ part, title: PARTS[part], ...rest }] : []));
}

/** Alerts are judged and notifications delivered several times a minute: whoever has not for so long has stopped. */
const STOPPED_SECONDS = 180;

/** Whether alerts were judged and notifications delivered in the last minutes, in any process. */
export async function areAlertsAlive(db: Db): Promise<boolean> {
  const [row] = await db.rows<{ alive: boolean }>(sql`/* parts.alive */
    select count(distinct p.part) = 2 as alive
    from matriarch.part_states p
    where p.part in ('alerter', 'delivery') and p.succeeded_at > now() - make_interval(secs => ${STOPPED_SECONDS})`);
  return row?.alive ?? false;
}

/** What is noted while the work goes on. */
export interface PartNotes {
  ran(part: PartName): Promise<void>;
  failed(part: PartName, error: unknown): Promise<void>;
  /** Runs a round; one that hangs counts as failing from when it began. */
  during<T>(part: PartName, work: () => Promise<T>): Promise<T>;
}

function sentenceOf(error: unknown): string {
  if (error instanceof Fault) return error.message;
  const refusal = refusalOf(error);
  return refusal === undefined
    ? 'The log of this program has the cause.'
    : `The datastore refused a statement: ${refusal}.`;
}

export class PartStates implements PartNotes {
  readonly #db: Db;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #owner: string;
  readonly #noted = new Map<PartName, { failure: string | null; at: number }>();
  readonly #rounds = new Map<PartName, { good: number; failed: number }>();
  readonly #underWay = new Map<PartName, Round>();
  /** When the newest round of each began. */
  readonly #began = new Map<PartName, number>();
  /** When the round began with which each began to fail, noted or not. */
  readonly #failingSince = new Map<PartName, number>();
  #looking: NodeJS.Timeout | undefined;

  constructor(db: Db, clock: Pick<Clock, 'monotonic'>, owner: string = randomUUID()) {
    this.#db = db;
    this.#clock = clock;
    this.#owner = owner;
  }

  ran(part: PartName): Promise<void> {
    return this.#note(part, null);
  }

  failed(part: PartName, error: unknown): Promise<void> {
    return this.#note(part, sentenceOf(error));
  }

  async during<T>(part: PartName, work: () => Promise<T>): Promise<T> {
    const now = this.#clock.monotonic();
    const round = { began: now, answered: now };
    this.#underWay.set(part, round);
    this.#began.set(part, now);
    this.#looking ??= setInterval(() => void this.look(), LOOK_MS).unref();
    try {
      return await underWay(round, this.#clock, work);
    } finally {
      this.#underWay.delete(part);
    }
  }

  /** Notes rounds that hang, since they say nothing themselves. */
  async look(): Promise<void> {
    const now = this.#clock.monotonic();
    const hanging = [...this.#underWay].filter(
      ([part, { began, answered }]) => now - (LONG.has(part) ? answered : began) >= HANGS_MS,
    );
    await Promise.all(hanging.map(([part]) => this.#write(part, HANGS)));
  }

  /** What this process itself has done. */
  readonly figures = (): readonly Figure[] => [
    {
      ...{
        name: 'matriarch_rounds_total',
        type: 'counter',
        help: 'Rounds of background work in this process.',
      },
      values: [...this.#rounds].flatMap(([part, { good, failed }]) => [
        { labels: { part, outcome: 'good' }, value: good },
        { labels: { part, outcome: 'failed' }, value: failed },
      ]),
    },
  ];

  async #note(part: PartName, failure: string | null): Promise<void> {
    const { good, failed } = this.#rounds.get(part) ?? { good: 0, failed: 0 };
    const isGood = Number(failure === null);
    this.#rounds.set(part, { good: good + isGood, failed: failed + 1 - isGood });
    await this.#write(part, failure);
  }

  async #write(part: PartName, failure: string | null): Promise<void> {
    const now = this.#clock.monotonic();
    if (failure === null) this.#failingSince.delete(part);
    const since = failure === null ? now : (this.#failingSince.get(part) ?? this.#began.get(part) ?? now);
    if (failure !== null) this.#failingSince.set(part, since);
    const before = this.#noted.get(part);
    if (before?.failure === failure && now - before.at < REPEAT_MS) return;
    try {
      const seconds = (now - since) / 1000;
      this.#noted.set(part, { failure, at: now });
      await this.#db.run(noteState({ part, owner: this.#owner, failure, seconds }));
    } catch {
      this.#noted.delete(part);
      // It is noted again after the next attempt.
    }
  }

  /** This process ends: what it said of its work counts no more. */
  async leave(): Promise<void> {
    clearInterval(this.#looking);
    await this.#db.run(forgetOwner(this.#owner)).catch(() => undefined);
  }
}

/** Of a job: undefined, it was not due; what it could not do is a failure. */
export async function noteReport(
  parts: PartNotes,
  part: PartName,
  report: { problems: readonly string[] } | undefined,
): Promise<void> {
  if (!report) return;
  if (report.problems.length === 0) await parts.ran(part);
  else await parts.failed(part, undefined);
}

/** Of work that is started alone, as in tests of it. */
export const NOT_NOTED: PartNotes = {
  ran: async () => undefined,
  failed: async () => undefined,
  during: (_part, work) => work(),
};
