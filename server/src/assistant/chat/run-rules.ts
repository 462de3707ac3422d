// Answers of a run without a model: the questions that rules answer, for the servers in scope. Guards: what it says stands in a step, as
// whatever a model says has to.

import type { Ctx } from '../../identity/identity.ts';
import { cutText } from '../../kernel/inert-text.ts';
import type { Static } from '../../kernel/schema.ts';
import { answerQuestion, listQuestions } from '../answers/answers.service.ts';
import type { Point } from '../answers/answers.types.ts';
import type { ScopeServer } from './chat-runs.queries.ts';
import type { ChatRunRequest } from './chat-runs.schemas.ts';
import type { LiveRun } from './live-run.ts';
import type { Steps } from './run-loop.ts';

const MOST_SERVERS = 10;
const POINTS = 5;

const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** The question that a message asks, if it is one of those that are answered by rules. */
function questionIn(message: string) {
  const said = plain(cutText(message, 1000));
  return listQuestions().find(({ asked, question }) =>
    [asked, question].some((one) => said.includes(plain(one))),
  );
}

/** A statement in lines of its own, within an item of a list; no text of a server ends it. */
function codeOf(sql: string): string {
  const longest = (sql.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return [`${fence}sql`, ...sql.split(/\r\n|[\n\r]/), fence].map((line) => `  ${line}`).join('\n');
}

/** A point as an item of a list, with the statement of its advice as code. */
export function itemOf({ says, advice, sql }: Point): string {
  const words = `- ${says}${advice === null ? '' : ` ${advice}`}`;
  return sql === null ? words : `${words}\n\n${codeOf(sql)}\n`;
}

/** What is said before the points; what a point says is not said twice. */
export function headOf(summary: string, points: readonly Point[]): string {
  return points
    .reduce((text, { says }) => text.replace(says, () => ''), summary)
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}

export interface RulesOptions {
  run: LiveRun;
  steps: Steps;
  servers: readonly ScopeServer[];
  request: Static<typeof ChatRunRequest>;
  now(): Promise<Ctx>;
}

export async function answerByRules({ run, steps, servers, request, now }: RulesOptions): Promise<void> {
  const found = questionIn(request.message);
  if (!found) {
    const known = listQuestions().map(({ asked }) => `- ${asked}`);
    run.say(
      `No language model is configured, so this cannot be answered. These questions are answered without one:\n\n${known.join('\n')}`,
    );
    return;
  }
  if (servers.length === 0) run.say('There is no server in scope that you can see.');
  const { time } = request;
  for (const server of servers.slice(0, MOST_SERVERS)) {
    run.signal.throwIfAborted();
    const since = performance.now();
    const query = { ...(time && { start_time: time.start, end_time: time.end }), limit: POINTS };
    const answer = await answerQuestion(await now(), { id: server.id, question: found.question }, query);
    const items = answer.points.map(itemOf).join('\n');
    const text = [headOf(answer.summary, answer.points), items].filter(Boolean).join('\n');
    const told = {
      ...{ tool: found.question, arguments: { connection_id: server.id } },
      ...{
        took_ms: Math.round(performance.now() - since),
        rows: answer.total_count,
        summary: answer.summary,
      },
      source: `what is stored, from ${answer.start_time} to ${answer.end_time}`,
      link: answer.points[0]?.path ?? `/servers/${server.id}`,
    };
    steps.note(told, text);
    run.say(
      servers.length > 1 ? `**${server.name}**: ${text.startsWith('- ') ? '\n' : ''}${text}\n\n` : text,
    );
  }
  if (servers.length > MOST_SERVERS)
    run.say(`These are the first ${MOST_SERVERS} servers; ask for one of the others by its page.`);
}
