// What is slow: statements that became slower, what sessions wait for, and the statements that take most of the time.

import { getConnectionLoad, listTopQueries } from '../../../history/history.ts';
import type { Ctx } from '../../../identity/identity.ts';
import { listChanges } from '../../../insight/insight.ts';
import type { SlowerStatement } from '../../../insight/timeline/changes.contract.ts';
import { cutText } from '../../../kernel/inert-text.ts';
import type { Static } from '../../../kernel/schema.ts';
import { firstOf, pageOf, windowOf } from '../answer-texts.ts';
import type { AnswerInput, Point, Question, RuleAnswer, Unknown } from '../answers.types.ts';

const LARGEST = 5;
const SHORT_TEXT = 120;
/** Sessions on average that a class of wait has to hold up before it is told. */
const LEAST_SESSIONS = 0.5;
/** So many times as many as in the time before is told as new. */
const FACTOR = 2;

const figure = (value: number) => Number(value.toPrecision(3)).toString();

const shortened = (query: string) => {
  const flat = query.replace(/\s+/g, ' ').trim();
  return flat.length > SHORT_TEXT ? `${cutText(flat, SHORT_TEXT)}…` : flat;
};

const statementPath = ({ connection_id, from, to }: AnswerInput, queryid: string) =>
  `/servers/${connection_id}/queries/${queryid}?${windowOf({ from, to })}`;

export const slowerOf = (
  statements: readonly Static<typeof SlowerStatement>[],
  asked: AnswerInput,
): Point[] =>
  statements.map((one) => ({
    kind: 'statement',
    name: one.queryid,
    severity: 'warning',
    says: `A statement in ${one.database} takes ${figure(one.mean_time_ms)} ms on average, ${figure(one.factor)} times as long as in the time before, and ${figure(one.load_percent)} % of all statements' time.`,
    advice:
      'Compare its plan now with what changed before: an index, statistics, settings, or the size of a table.',
    sql: null,
    about: one.query_text === null ? one.queryid : shortened(one.query_text),
    since: null,
    as_of: null,
    path: statementPath(asked, one.queryid),
  }));

/** What sessions waited for, where that is much more than before, or more than there are processors. */
export async function waitsIn(
  ctx: Ctx,
  asked: AnswerInput,
): Promise<{ points: Point[]; unknown: Unknown[] }> {
  const { connection_id, from, to } = asked;
  const window = { start_time: new Date(from).toISOString(), end_time: new Date(to).toISOString() };
  const load = await getConnectionLoad(ctx, connection_id, { ...window, buckets: 1, compare: 'previous' });
  if (load.total.mean === null)
    return {
      points: [],
      unknown: [
        { about: 'What sessions waited for', because: 'Sessions were not sampled in that time.', mend: null },
      ],
    };
  const processors = load.processors.count;
  const points = load.members.flatMap(({ name, mean, compared_mean: before = null }): Point[] => {
    if (mean === null || name === null || mean < LEAST_SESSIONS) return [];
    const isNew = before === null || mean >= FACTOR * before;
    const isMuch = processors !== null && mean > processors;
    if (!isNew && !isMuch) return [];
    const was = before === null ? '' : `, ${figure(before)} in the time before`;
    const doing = name === 'CPU' ? 'were on the processors or ready for them' : `waited for ${name}`;
    return [
      {
        kind: 'wait',
        name,
        severity: isMuch ? 'warning' : 'info',
        says: `${figure(mean)} sessions ${doing} on average${was}.`,
        advice: null,
        sql: null,
        about: null,
        since: null,
        as_of: null,
        path: pageOf(asked, 'load'),
      },
    ];
  });
  return { points, unknown: [] };
}

async function largestIn(ctx: Ctx, asked: AnswerInput): Promise<Point[]> {
  const { connection_id, from, to } = asked;
  const { rows } = await listTopQueries(ctx, {
    connection_id,
    start_time: new Date(from).toISOString(),
    end_time: new Date(to).toISOString(),
    exclude_collector: true,
    limit: LARGEST,
  });
  return rows.map((row) => ({
    kind: 'statement',
    name: row.queryid,
    severity: 'info',
    says: `A statement in ${row.database_name} took ${row.load_percent === undefined ? 'an unknown share' : `${figure(row.load_percent)} %`} of all statements' time: ${row.calls} calls of ${figure(row.mean_exec_time)} ms.`,
    advice: null,
    sql: null,
    about: row.query === '' ? row.queryid : shortened(row.query),
    since: null,
    as_of: null,
    path: statementPath(asked, row.queryid),
  }));
}

async function answer(ctx: Ctx, asked: AnswerInput): Promise<RuleAnswer> {
  const { connection_id, from, to } = asked;
  const window = { start_time: new Date(from).toISOString(), end_time: new Date(to).toISOString() };
  const changes = await listChanges(ctx, { connection_id, ...window, limit: 1 });
  const waits = await waitsIn(ctx, asked);
  const { statements, reason } = changes.slower_statements;
  const slower = slowerOf(statements, asked);
  const seen = new Set(slower.map(({ name }) => name));
  const largest = (await largestIn(ctx, asked)).filter(({ name }) => !seen.has(name));
  const points = [...slower, ...waits.points, ...largest];
  const missing = reason === undefined ? [] : [{ about: 'Slower statements', because: reason, mend: null }];
  const summary =
    slower.length === 0 && waits.points.length === 0
      ? `No statement became slower, and nothing was waited for more than before.${largest[0] ? ` ${largest[0].says}` : ''}`
      : firstOf([...slower, ...waits.points]);
  return { points, unknown: [...waits.unknown, ...missing], summary };
}

export const question: Question = {
  name: 'what_is_slow',
  asked: 'What is slow?',
  says: 'Statements that became slower, what sessions wait for more than before, and the statements that take most of the time.',
  hours: 1,
  answer,
};
