// Everything stored of one statement of a server: its text, where it was seen, what its counters grew by over a window and
// the one before, by database and role, and what sampled sessions that ran it waited for. Three statements. Guards: its id
// is text from the first to the last, since it has 64 bits; sessions are read only where one was ever sampled with it.
import type { Db } from '../../kernel/db.ts';
import type { Metric } from '../../probes/metrics.ts';
import { probe as sessions } from '../../probes/pg-active-sessions.ts';
import { probe as statements } from '../../probes/pg-stat-statements.ts';
import {
  answered,
  askedOf,
  DATABASE,
  type Inquiry,
  type MetricSeries,
  questionOf,
  readBoth,
  seriesOf,
  type Window,
} from '../../store/read/doors/buckets.ts';
import { type SeenRow, statementSeen } from './statements.queries.ts';

export type { SeenRow };

export interface StatementQuery {
  connection_id: number;
  queryid: string;
  metrics: readonly Metric[];
  /** Milliseconds since the epoch. */
  from: number;
  to: number;
  buckets: number;
  compare_from: number;
  /** Since when sessions are looked at; they are samples of every second. */
  waits_from: number;
}

export interface StatementWait {
  /** Null: on the processor, or ready for it. */
  wait_class: string | null;
  wait_event: string | null;
  /** Sessions × seconds. */
  session_seconds: number;
}

export interface StatementDetail {
  seen: SeenRow[];
  /** By database and role (`database_name`, `userid`, `username`). */
  series: MetricSeries[];
  /** The longest first. */
  waits: StatementWait[];
}

const WAITS = ['wait_event_type', 'wait_event'];

function waitsInquiry({ connection_id, queryid, waits_from, to }: StatementQuery) {
  const question = questionOf(
    {
      probe: sessions,
      column: 'sessions',
      connection_ids: [connection_id],
      aggregate: 'avg',
      where: { query_id: queryid, state: 'active' },
    },
    WAITS,
  );
  const window: Window = { from: waits_from, to, buckets: 1 };
  return { question, window, inquiry: { questions: [question], windows: [window] } };
}

const textOf = (value: unknown) => (value === null || value === undefined ? null : String(value));

export async function statementDetail(db: Db, query: StatementQuery): Promise<StatementDetail> {
  const { connection_id, queryid, metrics, from, to, buckets, compare_from } = query;
  const asked = askedOf({
    probe: statements,
    metrics,
    connection_ids: [connection_id],
    aggregate: 'sum',
    where: { queryid },
    group_by: [DATABASE, 'userid', 'username'],
    from,
    to,
    buckets,
    compare_from,
  });
  const waits = waitsInquiry(query);
  const costs: Inquiry = { questions: asked.questions.all, windows: asked.windows };
  const [[own, [sampled] = []], seen] = await Promise.all([
    readBoth(db, costs, waits.inquiry),
    db.rows<SeenRow>(statementSeen(connection_id, queryid)),
  ]);
  const span = (waits.window.to - waits.window.from) / 1000;
  const found = sampled
    ? await seriesOf({ reading: sampled, question: waits.question, windows: [waits.window] })
    : [];
  return {
    seen,
    series: await answered(asked, own, new Map()),
    waits: found
      .map(({ group, whole, coverage }) => ({
        wait_class: textOf(group.wait_event_type),
        wait_event: textOf(group.wait_event),
        session_seconds: (whole ?? 0) * coverage * span,
      }))
      .filter(({ session_seconds }) => session_seconds > 0)
      .sort((a, b) => b.session_seconds - a.session_seconds),
  };
}
