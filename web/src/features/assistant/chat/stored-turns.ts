// The turns of a conversation as it is kept. Guards: a conversation may have been written by another client, so that whatever is not
// of the shape that the chat itself writes is left out, never trusted.
import type { Result } from '../../../api/client.ts';
import { type Figure, newTurn, type Statement, type Step, type Turn } from './chat-state.ts';

export type Message = Result<'getConversation'>['messages'][number];

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrNull = (value: unknown) => value === null || isText(value);
const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;
const isCountOrNull = (value: unknown) => value === null || isCount(value);
const isPlace = ({ start, end }: Fields) => isCount(start) && isCount(end) && start < end;

const isStep = (one: unknown): one is Step =>
  isFields(one) &&
  isCount(one.number) &&
  isText(one.tool) &&
  isFields(one.arguments) &&
  (one.state === 'started' || one.state === 'done' || one.state === 'failed') &&
  isCountOrNull(one.took_ms) &&
  isCountOrNull(one.rows) &&
  [one.summary, one.source, one.link].every(isTextOrNull);

const isFigure = (one: unknown): one is Figure =>
  isFields(one) &&
  isPlace(one) &&
  typeof one.is_proven === 'boolean' &&
  (one.step === undefined || isCount(one.step)) &&
  (one.link === undefined || isText(one.link));

const isStatement = (one: unknown): one is Statement =>
  isFields(one) &&
  isPlace(one) &&
  isText(one.sql) &&
  isCountOrNull(one.connection_id) &&
  typeof one.can_run === 'boolean' &&
  isTextOrNull(one.reason) &&
  (one.plan === undefined || isText(one.plan));

const listOf = <T>(value: unknown, isOne: (one: unknown) => one is T): readonly T[] =>
  Array.isArray(value) ? value.filter(isOne) : [];

/** A text, or the texts among blocks. */
function textOf({ content }: Message): string {
  if (isText(content)) return content;
  if (!Array.isArray(content)) return '';
  return content.flatMap((block) => (isFields(block) && isText(block.text) ? [block.text] : [])).join('\n\n');
}

/** Each number once: the last one that was told. */
const lastOfEach = (steps: readonly Step[]) => [
  ...new Map(steps.map((step) => [step.number, step] as const)).values(),
];

function answered(turn: Turn, message: Message): Turn {
  const { activity, evidence, statements, error, run_id, model }: Fields = message;
  const said = textOf(message);
  const runId = isText(run_id) ? run_id : undefined;
  // Positions are of one answer: what another one adds goes behind it, without them.
  if (turn.text !== '') return { ...turn, text: `${turn.text}\n\n${said}` };
  return {
    ...turn,
    ...{ runId, text: said },
    isModel: isText(model) || runId === undefined || message.isError === true,
    steps: lastOfEach(listOf(activity, isStep)),
    figures: listOf(evidence, isFigure),
    statements: listOf(statements, isStatement),
    error: isText(error) ? error : undefined,
  };
}

/** Question by question; messages of tools and of the system are left out. */
export function turnsOf(messages: readonly Message[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    const done = (asked: string): Turn => ({ ...newTurn(asked, index), isRunning: false });
    if (message.role === 'user') turns.push(done(textOf(message)));
    if (message.role === 'assistant') turns.push(answered(turns.pop() ?? done(''), message));
  }
  return turns;
}

/** Whether its answer is not kept yet: it is being written, or was lost. */
export const isOpen = (messages: readonly Message[]): boolean => messages.at(-1)?.role === 'user';
