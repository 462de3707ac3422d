// Questions that are answered by rules. Guards: access to the connection was checked by the gate; a window is one that all parts of an
// answer can read; no answer is longer than its cap.

import { windowBetween } from '../../history/history.ts';
import type { Ctx } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import type { Answer, QuestionInfo } from './answers.schemas.ts';
import type { AnswerInput, Question, QuestionName } from './answers.types.ts';
import { question as whatChanged } from './questions/what-changed.ts';
import { question as whatIsSlow } from './questions/what-is-slow.ts';
import { question as whatIsWrong } from './questions/what-is-wrong.ts';
import { question as whatRunsOut } from './questions/what-runs-out.ts';
import { question as whoBlocksWhom } from './questions/who-blocks-whom.ts';

const LONGEST_MS = 31 * 24 * HOUR_MS;
const MOST_UNKNOWN = 20;
const POINTS = 20;

const ALL: Readonly<Record<QuestionName, Question>> = {
  what_is_wrong: whatIsWrong,
  what_changed: whatChanged,
  who_blocks_whom: whoBlocksWhom,
  what_is_slow: whatIsSlow,
  what_runs_out: whatRunsOut,
};

export const listQuestions = (): Static<typeof QuestionInfo>[] =>
  Object.values(ALL).map(({ name, asked, says, hours }) => ({ question: name, asked, says, hours }));

export interface AnswerQuery {
  start_time?: string | undefined;
  end_time?: string | undefined;
  limit?: number | undefined;
}

function askedOf(
  { clock }: Ctx,
  { connection_id, hours }: { connection_id: number; hours: number },
  query: AnswerQuery,
): AnswerInput {
  const now = clock.now();
  const end = query.end_time ?? new Date(now).toISOString();
  const start =
    query.start_time ??
    new Date(Temporal.Instant.from(end.toUpperCase()).epochMilliseconds - hours * HOUR_MS).toISOString();
  const { from, to } = windowBetween(start, end);
  if (to - from > LONGEST_MS)
    throw new Fault('bad_request', 'end_time may be at most 31 days after start_time.');
  return { connection_id, from, to, isNow: query.end_time === undefined };
}

export async function answerQuestion(
  ctx: Ctx,
  { id: connection_id, question: name }: { id: number; question: QuestionName },
  query: AnswerQuery,
): Promise<Static<typeof Answer>> {
  const question = ALL[name];
  const asked = askedOf(ctx, { connection_id, hours: question.hours }, query);
  const { points, unknown, summary } = await question.answer(ctx, asked);
  return {
    connection_id,
    question: name,
    asked: question.asked,
    start_time: new Date(asked.from).toISOString(),
    end_time: new Date(asked.to).toISOString(),
    summary,
    points: points.slice(0, query.limit ?? POINTS),
    total_count: points.length,
    unknown: unknown.slice(0, MOST_UNKNOWN),
  };
}
