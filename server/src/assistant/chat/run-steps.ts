// Steps of a run: calls of tools as a model asks for them. Guards: rights are looked at again before each; a tool that is not the
// caller's, or that changes something, is not there; arguments, answers and the number of steps are bounded.

import type { Ctx } from '../../identity/identity.ts';
import { cutText } from '../../kernel/inert-text.ts';
import type { Static } from '../../kernel/schema.ts';
import { plainAnswer, type Toolbox, type ToolInfo } from '../mcp/toolbox.service.ts';
import type { ChatToolResult, ChatToolUse } from '../providers/support/chat-types.ts';
import type { ChatStep } from './chat-runs.schemas.ts';
import type { StepAnswer } from './evidence.ts';
import type { LiveRun } from './live-run.ts';
import { asData, newMarks } from './run-conversation.ts';

/** Of one run. */
const MOST_STEPS = 40;
const MOST_ARGUMENTS = 32_768;
const MOST_SUMMARY = 300;

export interface StepsOptions {
  run: LiveRun;
  toolbox: Toolbox;
  /** The caller with the rights of this moment; throws when they are gone. */
  now(): Promise<Ctx>;
}

/** Tools for a model: those of the caller that change nothing, because nobody looks at a call before it is made. */
export async function toolsOf(toolbox: Toolbox, ctx: Ctx): Promise<readonly ToolInfo[]> {
  return (await toolbox.tools(ctx)).filter(({ is_read_only }) => is_read_only);
}

type StepData = Static<typeof ChatStep>;

export class Steps {
  readonly answers: StepAnswer[] = [];
  /** The connection that was asked about last. */
  connection_id: number | undefined;
  /** Around answers on their way to a model. */
  readonly marks = newMarks();
  #count = 0;
  readonly #of: StepsOptions;

  constructor(of: StepsOptions) {
    this.#of = of;
  }

  get isUsedUp(): boolean {
    return this.#count >= MOST_STEPS;
  }

  /** Notes what was found by other means than a tool, such as an answer by rules. */
  note(
    step: Pick<StepData, 'tool' | 'arguments' | 'took_ms' | 'rows' | 'summary' | 'source' | 'link'>,
    text: string,
  ) {
    this.#count += 1;
    const number = this.#count;
    this.#of.run.tell({ type: 'step', number, state: 'done', ...step });
    this.answers.push({ number, text, rows: step.rows, link: step.link });
  }

  async take({ id, name, input }: ChatToolUse): Promise<ChatToolResult> {
    const { run } = this.#of;
    this.#count += 1;
    const number = this.#count;
    const size = JSON.stringify(input).length;
    const tool = cutText(name, 100).toWellFormed();
    const told = size > MOST_ARGUMENTS ? { cut: `${size} characters` } : input;
    const empty = { took_ms: null, rows: null, summary: null, source: null, link: null };
    const begun: StepData = { type: 'step', number, tool, arguments: told, state: 'started', ...empty };
    run.tell(begun);
    const since = performance.now();
    const { text, source, page: link, rows, is_error } = await this.#answer(name, input, size);
    if (!is_error) this.answers.push({ number, text, rows, link });
    run.tell({
      ...begun,
      state: is_error ? 'failed' : 'done',
      took_ms: Math.round(performance.now() - since),
      summary: (text.split('\n', 1)[0] ?? '').slice(0, MOST_SUMMARY).toWellFormed(),
      ...{ source, link, rows },
    });
    const content = asData(this.marks, text).map((part) => ({ type: 'text' as const, text: part }));
    return { type: 'tool_result', tool_use_id: id, content, is_error };
  }

  async #answer(name: string, input: Record<string, unknown>, size: number) {
    const { now, toolbox } = this.#of;
    const failed = (text: string) => ({ ...plainAnswer(text), is_error: true });
    if (this.#count > MOST_STEPS)
      return failed('There are no more steps in this run: answer with what is known.');
    if (size > MOST_ARGUMENTS)
      return failed(`The arguments are too long: at most ${MOST_ARGUMENTS} characters.`);
    const ctx = await now();
    const mine = await toolsOf(toolbox, ctx);
    if (!mine.some((tool) => tool.name === name)) return failed('There is no such tool for you here.');
    const result = await toolbox.call(ctx, { name, input });
    if (result && !result.is_error && Number.isInteger(input.connection_id))
      this.connection_id = Number(input.connection_id);
    return result ?? failed('There is no such tool for you here.');
  }
}
