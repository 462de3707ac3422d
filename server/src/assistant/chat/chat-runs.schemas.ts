// What a run of the chat tells, event by event: its steps, its text, what of it is proven, and the statements it offers.
import * as s from '../../kernel/schema.ts';
import { QuestionInfo } from '../answers/answers.schemas.ts';

export const SCOPE_KINDS = ['estate', 'group', 'cluster', 'server'] as const;
const RUN_STATES = ['running', 'done', 'failed', 'cancelled', 'interrupted'] as const;
export const RUN_CODES = [
  'turns_used_up',
  'tokens_used_up',
  'time_used_up',
  'steps_used_up',
  'text_used_up',
  'cancelled',
  'interrupted',
  'access_ended',
  'provider',
  'internal',
] as const;

export const ChatScope = s.component('ChatScope', { kind: s.oneOf(SCOPE_KINDS), id: s.optional(s.id()) });

export const ChatRunRequest = s.component('ChatRunRequest', {
  message: s.text({ minLength: 1, maxLength: 20_000 }),
  conversation_id: s.optional(s.text({ maxLength: 128, description: 'A new one is made when absent.' })),
  scope: s.optional(ChatScope),
  time: s.optional(s.object({ start: s.timestamp(), end: s.timestamp() })),
  page: s.optional(s.text({ maxLength: 500, description: 'The path of the page that it is asked from.' })),
  about: s.optional(
    s.openObject(
      { kind: s.text({ maxLength: 40 }) },
      { description: 'What is to be explained, such as an alert; at most 20,000 characters as JSON.' },
    ),
  ),
  edit_from: s.optional(
    s.integer({
      minimum: 0,
      maximum: 2000,
      description: 'Index of the message that this one stands in for; it and what follows it go.',
    }),
  ),
  provider: s.optional(s.text({ maxLength: 255 })),
  model: s.optional(s.text({ maxLength: 256 })),
});

const usage = s.component('ChatRunUsage', {
  input_tokens: s.integer({ minimum: 0 }),
  output_tokens: s.integer({ minimum: 0 }),
  total_tokens: s.integer({ minimum: 0 }),
});

const ChatRunBegun = s.component('ChatRunBegun', {
  type: s.oneOf(['run']),
  run_id: s.text(),
  conversation_id: s.text(),
  model: s.nullable(s.text()),
  is_model: s.boolean({ description: 'False: answered by rules, without a model.' }),
});

export const ChatStep = s.component('ChatStep', {
  type: s.oneOf(['step']),
  number: s.integer({ minimum: 1 }),
  tool: s.text(),
  arguments: s.anyObject(),
  state: s.oneOf(['started', 'done', 'failed']),
  took_ms: s.nullable(s.integer({ minimum: 0 })),
  rows: s.nullable(s.integer({ minimum: 0, description: 'Lines of the tables in the answer.' })),
  summary: s.nullable(s.text({ description: 'The first line of the answer, or why it failed.' })),
  source: s.nullable(s.text({ description: 'Where its figures come from, and of when they are.' })),
  link: s.nullable(s.text({ description: 'The page that shows the same.' })),
});

const ChatText = s.component('ChatTextDelta', { type: s.oneOf(['text']), delta: s.text() });

const place = {
  start: s.integer({ minimum: 0, description: 'Of the whole text, in UTF-16 units.' }),
  end: s.integer({ minimum: 0, description: 'The first unit after it.' }),
};

const ChatFigure = s.component('ChatFigure', {
  text: s.text(),
  ...place,
  is_proven: s.boolean({ description: 'It is in the answer of a step of this run.' }),
  step: s.optional(s.integer({ minimum: 1 })),
  link: s.optional(s.text()),
});

const ChatEvidence = s.component('ChatEvidence', {
  type: s.oneOf(['evidence']),
  figures: s.list(ChatFigure),
});

export const ChatStatement = s.component('ChatStatement', {
  type: s.oneOf(['statement']),
  ...place,
  sql: s.text(),
  connection_id: s.nullable(s.id()),
  can_run: s.boolean({ description: 'The server has just parsed and planned it.' }),
  reason: s.nullable(s.text({ description: 'Why it is shown as an illustration only.' })),
  plan: s.optional(s.text()),
});

const ChatFailure = s.component('ChatRunError', {
  type: s.oneOf(['error']),
  error: s.text(),
  code: s.oneOf(RUN_CODES),
});

const STOPS = [
  'end_turn',
  'max_tokens',
  'content_filter',
  'budget',
  'cancelled',
  'interrupted',
  'error',
] as const;

const ChatDone = s.component('ChatRunDone', {
  type: s.oneOf(['done']),
  stop_reason: s.oneOf(STOPS),
  usage,
  took_ms: s.integer({ minimum: 0 }),
  cost: s.optional(
    s.number({
      minimum: 0,
      description: 'In US dollars; absent where no price of the model is set, or where no model was asked.',
    }),
  ),
});

export const ChatEventData = s.anyOf(
  [ChatRunBegun, ChatStep, ChatText, ChatEvidence, ChatStatement, ChatFailure, ChatDone],
  { title: 'ChatRunEvent' },
);

export const ChatRun = s.component('ChatRun', {
  id: s.text(),
  conversation_id: s.text(),
  state: s.oneOf(RUN_STATES),
  model: s.nullable(s.text()),
  is_model: s.boolean(),
  started_at: s.timestamp(),
  ended_at: s.nullable(s.timestamp()),
  last_sequence: s.integer({ minimum: 0, description: 'Of the newest event that is stored.' }),
  text: s.text(),
  steps: s.list(ChatStep),
});

export const ChatQuestions = s.component('ChatQuestions', {
  is_model: s.boolean({ description: 'A language model is configured; questions can be asked freely.' }),
  questions: s.list(QuestionInfo),
  findings: s.list(
    s.object({
      connection_id: s.id(),
      server_name: s.text(),
      severity: s.oneOf(['info', 'warning', 'critical']),
      title: s.text(),
      link: s.text(),
    }),
    { description: 'The gravest that are open, at most 5.' },
  ),
});
