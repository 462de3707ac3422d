// The loop of a run: a model speaks, its calls of tools are taken as steps, until it has answered or the budget is used up. Guards: turns,
// steps, arguments, answers, tokens, text and time are bounded whatever the model does; rights are looked at before each turn and each
// step; a tool that is not the caller's, or that changes something, is not there.

import type { Ctx } from '../../identity/identity.ts';
import { cutText } from '../../kernel/inert-text.ts';
import type { Static } from '../../kernel/schema.ts';
import { plainAnswer, type Toolbox, type ToolInfo } from '../mcp/toolbox.service.ts';
import type { ConfiguredProvider } from '../providers/registry.ts';
import type {
  ChatBlock,
  ChatMessage,
  ChatRequest,
  ChatToolResult,
  ChatToolUse,
  ChatUsage,
  StopReason,
} from '../providers/support/chat-types.ts';
import type { ChatStep, RUN_CODES } from './chat-runs.schemas.ts';
import type { StepAnswer } from './evidence.ts';
import type { LiveRun } from './live-run.ts';
import { asData, newMarks } from './run-conversation.ts';

export interface Budget {
  turns: number;
  tokens: number;
  /** Of the whole run. */
  ms: number;
}

export const BUDGET: Budget = { turns: 16, tokens: 400_000, ms: 300_000 };
const ANSWER_TOKENS = 4096;
const MOST_CALLS = 8;
/** Text and arguments of one turn, in UTF-16 units. */
const MOST_SAID = 1_000_000;
const PIECE_MS = 60_000;
const CHARACTERS_A_TOKEN = 4;
const MOST_STEPS = 40;
const MOST_ARGUMENTS = 32_768;
const MOST_SUMMARY = 300;

type Code = (typeof RUN_CODES)[number];

export const ACCESS_ENDED = 'Your session has ended. Sign in again to go on.';

/** A run that ends before its answer does; the message is for whoever asked. */
export class RunEnded extends Error {
  readonly code: Code;

  constructor(code: Code, message: string) {
    super(message);
    this.name = 'RunEnded';
    this.code = code;
  }
}

export interface StepsOptions {
  run: LiveRun;
  toolbox: Toolbox;
  /** The caller with the rights of this moment; throws when they are gone. */
  now(): Promise<Ctx>;
}

/** Tools for a model: those of the caller that change nothing, because nobody looks at a call before it is made. */
async function toolsOf(toolbox: Toolbox, ctx: Ctx): Promise<readonly ToolInfo[]> {
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

export interface Usage {
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
}

/** What the calls of a run cost. */
export interface Spent {
  /** US dollars; undefined as soon as one of them has no known cost. */
  usd: number | undefined;
}

export interface Loop {
  run: LiveRun;
  steps: Steps;
  toolbox: Toolbox;
  provider: ConfiguredProvider;
  model: string;
  system: string;
  messages: ChatMessage[];
  budget: Budget;
  usage: Usage;
  spent: Spent;
  /** As in Steps. */
  now(): Promise<Ctx>;
}

interface ModelTurn {
  text: string;
  calls: ChatToolUse[];
  stop_reason: StopReason;
}

function count(loop: Loop, request: ChatRequest, { said, told }: { said: number; told: ChatUsage }): void {
  const sent = JSON.stringify([request.system, request.messages, request.tools]).length;
  const { usage } = loop;
  usage.input_tokens += told.input ?? Math.ceil(sent / CHARACTERS_A_TOKEN);
  usage.output_tokens += told.output ?? Math.ceil(said / CHARACTERS_A_TOKEN);
  usage.total_tokens = usage.input_tokens + usage.output_tokens;
}

async function speak(loop: Loop, request: ChatRequest): Promise<ModelTurn> {
  const { run, provider, spent } = loop;
  const before = spent.usd;
  // Until the call has told what it took.
  spent.usd = undefined;
  const turn: ModelTurn = { text: '', calls: [], stop_reason: 'error' };
  let said = 0;
  // Whoever leaves this loop early ends the call at the provider too.
  const own = new AbortController();
  const signal = AbortSignal.any([run.signal, own.signal]);
  try {
    for await (const event of provider.chat(request, { signal, timeout_ms: PIECE_MS })) {
      if (event.type === 'text') {
        said += event.text.length;
        turn.text += event.text;
        run.say(event.text);
        if (run.room <= 0) throw new RunEnded('text_used_up', 'The answer was cut: it is too long.');
      } else if (event.type === 'tool_use_delta') said += event.partial.length;
      else if (event.type === 'tool_use_start') said += event.id.length + event.name.length;
      else if (event.type === 'tool_use') turn.calls.push(event);
      else if (event.type === 'done') {
        turn.stop_reason = event.stop_reason;
        count(loop, request, { said, told: event.usage });
        if (before !== undefined && event.cost_usd !== undefined) spent.usd = before + event.cost_usd;
      }
      if (said > MOST_SAID)
        throw new RunEnded('text_used_up', 'The model wrote more than an answer may hold.');
    }
    return turn;
  } finally {
    own.abort();
  }
}

function demandBudget({ usage, budget }: Loop, turn: number): void {
  if (turn >= budget.turns)
    throw new RunEnded(
      'turns_used_up',
      `The ${budget.turns} turns of a question are used up. Ask for less at once.`,
    );
  if (usage.total_tokens >= budget.tokens)
    throw new RunEnded(
      'tokens_used_up',
      `The ${budget.tokens} tokens of a question are used up. Ask for less at once.`,
    );
}

async function requestOf(loop: Loop, isLast: boolean): Promise<ChatRequest> {
  const { model, system, messages, toolbox, now, steps } = loop;
  const tools = await toolsOf(toolbox, await now());
  const lacksTools = !loop.provider.can('tools');
  return {
    ...{ model, system, messages },
    tools: lacksTools
      ? []
      : tools.map(({ name, description, input }) => ({ name, description, input_schema: { ...input } })),
    tool_choice: { mode: isLast || steps.isUsedUp || lacksTools ? 'none' : 'auto' },
    response_format: { type: 'text' },
    max_tokens: ANSWER_TOKENS,
    stop_sequences: [],
  };
}

/** Until the model answers without a call; answers why it stopped. */
export async function converse(loop: Loop): Promise<StopReason> {
  for (let turn = 0; ; turn += 1) {
    demandBudget(loop, turn);
    const said = await speak(loop, await requestOf(loop, false));
    if (said.calls.length === 0) {
      loop.messages.push({ role: 'assistant', blocks: [{ type: 'text', text: said.text || '(no answer)' }] });
      return said.stop_reason;
    }
    if (said.text !== '') loop.run.say('\n\n');
    const calls = said.calls.slice(0, MOST_CALLS);
    const text: ChatBlock[] = said.text === '' ? [] : [{ type: 'text', text: said.text }];
    const results: ChatBlock[] = [];
    for (const call of calls) {
      if (loop.steps.isUsedUp)
        throw new RunEnded('steps_used_up', 'The steps of a question are used up. Ask for less at once.');
      results.push(await loop.steps.take(call));
      loop.run.signal.throwIfAborted();
    }
    loop.messages.push({ role: 'assistant', blocks: [...text, ...calls] }, { role: 'user', blocks: results });
  }
}

/** One more answer to something that we say, without tools. */
export async function ask(loop: Loop, text: string): Promise<string> {
  loop.messages.push({ role: 'user', blocks: [{ type: 'text', text }] });
  loop.run.say('\n\n');
  return (await speak(loop, await requestOf(loop, true))).text;
}
