// What a run of the chat tells, event by event: its steps, its text, what of it is proven, and the statements it offers.
import {
  anyObject,
  anyOf,
  boolean,
  component,
  id,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  openObject,
  optional,
  text,
  timestamp,
} from '../../kernel/schema.ts';
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

export const ChatScope = component('ChatScope', { kind: oneOf(SCOPE_KINDS), id: optional(id()) });

export const ChatRunRequest = component('ChatRunRequest', {
  message: text({ minLength: 1, maxLength: 20_000 }),
  conversation_id: optional(text({ maxLength: 128, description: 'A new one is made when absent.' })),
  scope: optional(ChatScope),
  time: optional(object({ start: timestamp(), end: timestamp() })),
  page: optional(text({ maxLength: 500, description: 'The path of the page that it is asked from.' })),
  about: optional(
    openObject(
      { kind: text({ maxLength: 40 }) },
      { description: 'What is to be explained, such as an alert; at most 20,000 characters as JSON.' },
    ),
  ),
  edit_from: optional(
    integer({
      minimum: 0,
      maximum: 2000,
      description: 'Index of the message that this one stands in for; it and what follows it go.',
    }),
  ),
  provider: optional(text({ maxLength: 255 })),
  model: optional(text({ maxLength: 256 })),
});

const usage = component('ChatRunUsage', {
  input_tokens: integer({ minimum: 0 }),
  output_tokens: integer({ minimum: 0 }),
  total_tokens: integer({ minimum: 0 }),
});

const ChatRunBegun = component('ChatRunBegun', {
  type: oneOf(['run']),
  run_id: text(),
  conversation_id: text(),
  model: nullable(text()),
  is_model: boolean({ description: 'False: answered by rules, without a model.' }),
});

export const ChatStep = component('ChatStep', {
  type: oneOf(['step']),
  number: integer({ minimum: 1 }),
  tool: text(),
  arguments: anyObject(),
  state: oneOf(['started', 'done', 'failed']),
  took_ms: nullable(integer({ minimum: 0 })),
  rows: nullable(integer({ minimum: 0, description: 'Lines of the tables in the answer.' })),
  summary: nullable(text({ description: 'The first line of the answer, or why it failed.' })),
  source: nullable(text({ description: 'Where its figures come from, and of when they are.' })),
  link: nullable(text({ description: 'The page that shows the same.' })),
});

const ChatText = component('ChatTextDelta', { type: oneOf(['text']), delta: text() });

const place = {
  start: integer({ minimum: 0, description: 'Of the whole text, in UTF-16 units.' }),
  end: integer({ minimum: 0, description: 'The first unit after it.' }),
};

const ChatFigure = component('ChatFigure', {
  text: text(),
  ...place,
  is_proven: boolean({ description: 'It is in the answer of a step of this run.' }),
  step: optional(integer({ minimum: 1 })),
  link: optional(text()),
});

const ChatEvidence = component('ChatEvidence', { type: oneOf(['evidence']), figures: list(ChatFigure) });

export const ChatStatement = component('ChatStatement', {
  type: oneOf(['statement']),
  ...place,
  sql: text(),
  connection_id: nullable(id()),
  can_run: boolean({ description: 'The server has just parsed and planned it.' }),
  reason: nullable(text({ description: 'Why it is shown as an illustration only.' })),
  plan: optional(text()),
});

const ChatFailure = component('ChatRunError', {
  type: oneOf(['error']),
  error: text(),
  code: oneOf(RUN_CODES),
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

const ChatDone = component('ChatRunDone', {
  type: oneOf(['done']),
  stop_reason: oneOf(STOPS),
  usage,
  took_ms: integer({ minimum: 0 }),
  cost: optional(
    number({
      minimum: 0,
      description: 'In US dollars; absent where no price of the model is set, or where no model was asked.',
    }),
  ),
});

export const ChatEventData = anyOf(
  [ChatRunBegun, ChatStep, ChatText, ChatEvidence, ChatStatement, ChatFailure, ChatDone],
  { title: 'ChatRunEvent' },
);

export const ChatRun = component('ChatRun', {
  id: text(),
  conversation_id: text(),
  state: oneOf(RUN_STATES),
  model: nullable(text()),
  is_model: boolean(),
  started_at: timestamp(),
  ended_at: nullable(timestamp()),
  last_sequence: integer({ minimum: 0, description: 'Of the newest event that is stored.' }),
  text: text(),
  steps: list(ChatStep),
});

export const ChatQuestions = component('ChatQuestions', {
  is_model: boolean({ description: 'A language model is configured; questions can be asked freely.' }),
  questions: list(QuestionInfo),
  findings: list(
    object({
      connection_id: id(),
      server_name: text(),
      severity: oneOf(['info', 'warning', 'critical']),
      title: text(),
      link: text(),
    }),
    { description: 'The gravest that are open, at most 5.' },
  ),
});
