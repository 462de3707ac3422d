// What changed: restarts, failovers, settings, access, objects and statements, kind by kind.

import type { Ctx } from '../../../identity/identity.ts';
import { listChanges } from '../../../insight/insight.ts';
import { shownCount } from '../../../kernel/shown-value.ts';
import { pageOf } from '../answer-texts.ts';
import type { AnswerInput, Point, Question, RuleAnswer, Unknown } from '../answers.types.ts';
import { slowerOf } from './what-is-slow.ts';

const OF_EACH_KIND = 20;

/** Kinds of which many come with everyday work, and explain little by themselves. */
const EVERYDAY = new Set(['table_made', 'statement_new', 'index_made']);

type Changes = Awaited<ReturnType<typeof listChanges>>;

export interface Changed {
  points: Point[];
  slower: Point[];
  unknown: Unknown[];
  total: number;
}

function unknownOf({ kinds, slower_statements }: Changes): Unknown[] {
  const missing = kinds.flatMap(({ event_type, reason }) =>
    reason === undefined ? [] : [{ about: `Changes of the kind ${event_type}`, because: reason, mend: null }],
  );
  const { reason } = slower_statements;
  return reason === undefined
    ? missing
    : [...missing, { about: 'Slower statements', because: reason, mend: null }];
}

/** Newest first within what is told; what comes with everyday work last. */
export async function changesIn(ctx: Ctx, asked: AnswerInput): Promise<Changed> {
  const { connection_id, from, to } = asked;
  const [start_time, end_time] = [new Date(from).toISOString(), new Date(to).toISOString()];
  const changes = await listChanges(ctx, { connection_id, start_time, end_time, limit: OF_EACH_KIND });
  const events = changes.kinds.flatMap((kind) => kind.events);
  const order = (type: string) => Number(EVERYDAY.has(type));
  const points = events
    .toSorted(
      (a, b) =>
        order(a.event_type) - order(b.event_type) || Date.parse(b.occurred_at) - Date.parse(a.occurred_at),
    )
    .map(
      ({ event_type, title, summary, severity, occurred_at }): Point => ({
        kind: 'change',
        name: event_type,
        severity,
        says: summary === '' ? `${title}.` : `${title}: ${summary}`,
        advice: null,
        sql: null,
        about: null,
        since: occurred_at,
        as_of: occurred_at,
        path: pageOf(asked, 'timeline'),
      }),
    );
  const slower = slowerOf(changes.slower_statements.statements, asked);
  const total = changes.kinds.reduce(
    (sum, { total_count, events: own }) => sum + (total_count ?? own.length),
    0,
  );
  return { points, slower, unknown: unknownOf(changes), total };
}

async function answer(ctx: Ctx, asked: AnswerInput): Promise<RuleAnswer> {
  const { points, slower, unknown, total } = await changesIn(ctx, asked);
  const all = [...points, ...slower];
  const kinds = Map.groupBy(points, ({ name }) => name.replaceAll('_', ' '));
  const counted = [...kinds].map(([name, own]) => `${name} (${own.length})`).join(', ');
  const slowed =
    slower.length === 0
      ? ''
      : ` ${shownCount(slower.length, 'statement')} became slower than in the time before.`;
  const summary =
    all.length === 0
      ? 'Nothing changed that is known.'
      : `${shownCount(total, 'change')}: ${counted || 'none'}.${slowed}`;
  return { points: all, unknown, summary };
}

export const question: Question = {
  name: 'what_changed',
  asked: 'What changed?',
  says: 'Restarts, failovers, settings, access, tables, indexes and statements that came or went, and statements that became slower.',
  hours: 24,
  answer,
};
