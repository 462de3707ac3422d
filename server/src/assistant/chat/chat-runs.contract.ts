// Chat whose steps are taken on the server: a question in, a stream of steps and text out, which can be left and taken up again.
// Guards: with a session only, and one's own; somebody else's run reads like one that does not exist.
import { ok, operationsOf } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { ChatEventData, ChatQuestions, ChatRun, ChatRunRequest, SCOPE_KINDS } from './chat-runs.schemas.ts';

const operation = operationsOf({ tag: 'chat', extra: true });
const run_id = 'run_1763846400000_9f86d081884c7d65';
const conversation_id = 'conv_1763846400000_9f86d081884c7d65';
const byRun = s.object({ id: s.text({ maxLength: 128 }) });
const paramsExample = { id: run_id };
const own = { object: 'chat-run', session: true as const };
const KEEPALIVE_SECONDS = 15;

export const startChatRun = operation({
  id: 'startChatRun',
  route: 'POST /api/v1/chat',
  summary: 'Ask, and follow the steps and the text of the answer (SSE)',
  access: 'session',
  faults: [404, 409],
  body: ChatRunRequest,
  bodyExample: { message: 'Who blocks whom?', scope: { kind: 'estate' } },
  success: {
    ...ok(ChatEventData, { type: 'run', run_id, conversation_id, model: 'llama3.3', is_model: true }),
    stream: { keepalive_seconds: KEEPALIVE_SECONDS },
  },
  notes: [
    'Frames: event: <type of the data>, id: <run id>:<sequence>. The events are run, step, text, evidence, statement, error, done; done is the last one.',
    'Tools are those that the caller may use at that moment, without those that change something. The run goes on for two minutes after the last client has left.',
    'A run ends with the event error when its turns, steps, tokens or time are used up, and with interrupted when its process ended; ask again in the same conversation to go on.',
    'figures say of each number whether it is in the answer of a step of this run; statements are parsed and planned on the server before they may be run.',
    'Without a model it answers the questions of GET /api/v1/chat/questions by rules, and is_model is false.',
  ],
});

export const getChatRun = operation({
  id: 'getChatRun',
  route: 'GET /api/v1/chat/runs/{id}',
  summary: 'Get the state of a run of the chat',
  access: own,
  params: byRun,
  paramsExample,
  success: ok(ChatRun, {
    ...{ id: run_id, conversation_id, state: 'done', model: 'llama3.3', is_model: true },
    ...{ started_at: '2026-11-22T12:00:00.000Z', ended_at: '2026-11-22T12:00:09.000Z', last_sequence: 4 },
    ...{ text: 'Session 4711 holds up 2 others.', steps: [] },
  }),
});

export const followChatRun = operation({
  id: 'followChatRun',
  route: 'GET /api/v1/chat/runs/{id}/events',
  summary: 'Follow a run of the chat from an event on (SSE)',
  access: own,
  params: byRun,
  paramsExample,
  query: s.object({ after: s.optional(s.integer({ minimum: 0, maximum: 2147483647, default: 0 })) }),
  success: {
    ...ok(ChatEventData, { type: 'text', delta: 'Session 4711 holds up' }),
    stream: { keepalive_seconds: KEEPALIVE_SECONDS },
  },
  notes: [
    'The events after the sequence `after`, or after that of the header Last-Event-ID, then those that come.',
  ],
});

export const cancelChatRun = operation({
  id: 'cancelChatRun',
  route: 'DELETE /api/v1/chat/runs/{id}',
  summary: 'Stop a run of the chat',
  access: own,
  params: byRun,
  paramsExample,
  success: { status: 204 },
  notes: [
    'Its call of the model is ended at once, by another process within two seconds. One that has ended stays as it is.',
  ],
});

export const listChatQuestions = operation({
  id: 'listChatQuestions',
  route: 'GET /api/v1/chat/questions',
  summary: 'List what can be asked without a model, and what is found already',
  access: { visible: 'connections' },
  faults: [404],
  query: s.object({ scope_kind: s.optional(s.oneOf(SCOPE_KINDS)), scope_id: s.optional(s.id()) }),
  success: ok(ChatQuestions, {
    is_model: false,
    questions: [
      {
        question: 'who_blocks_whom',
        asked: 'Who blocks whom?',
        says: 'Sessions that others wait for, with how long and by what.',
        hours: 1,
      },
    ],
    findings: [],
  }),
});
