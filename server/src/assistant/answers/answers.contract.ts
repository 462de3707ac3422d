// Questions that people ask of a server at night, answered by rules from what is stored: no model is needed, and none is asked.
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { Answer, QUESTIONS, QuestionInfo } from './answers.schemas.ts';

const tag = 'answers';

export const listQuestions = operation({
  id: 'listQuestions',
  route: 'GET /api/v1/questions',
  tag,
  summary: 'List the questions that are answered without a model',
  access: 'signed-in',
  extra: true,
  success: ok(s.list(QuestionInfo), [
    {
      question: 'who_blocks_whom',
      asked: 'Who blocks whom?',
      says: 'Sessions that others wait for, with how long and by what.',
      hours: 1,
    },
  ]),
});

export const answerQuestion = operation({
  id: 'answerQuestion',
  route: 'GET /api/v1/connections/{id}/answers/{question}',
  tag,
  summary: 'Answer a question about a server by rules',
  access: { connection: 'id', need: 'read' },
  extra: true,
  params: s.object({ id: s.id(), question: s.oneOf(QUESTIONS) }),
  paramsExample: { id: 1, question: 'who_blocks_whom' },
  query: s.object({
    start_time: s.optional(
      s.timestamp({ description: 'From this time on; hours of the question before the end.' }),
    ),
    end_time: s.optional(
      s.timestamp({ description: 'Until this time, which is also the instant of locks; now when absent.' }),
    ),
    limit: s.optional(s.integer({ minimum: 1, maximum: 100, default: 20, description: 'Of points.' })),
  }),
  success: ok(Answer, {
    connection_id: 1,
    question: 'who_blocks_whom',
    asked: 'Who blocks whom?',
    start_time: '2026-11-20T09:15:00.000Z',
    end_time: '2026-11-20T10:15:00.000Z',
    summary: 'One session holds up 2 others: 4711 (nightly), idle in a transaction for 4 min 50 s.',
    points: [
      {
        kind: 'lock',
        name: 'pid 4711',
        severity: 'critical',
        says: 'Session 4711 (nightly) has been idle in a transaction for 4 min 50 s and holds up 2 others.',
        advice: 'End its transaction where it comes from, or end the session:',
        sql: 'select pg_terminate_backend(4711);',
        about: 'shop',
        since: '2026-11-20T10:10:00.000Z',
        as_of: '2026-11-20T10:14:57.000Z',
        path: '/servers/1?tab=locks&from=2026-11-20T10%3A00%3A00Z&to=2026-11-20T10%3A15%3A00Z&at=2026-11-20T10%3A15%3A00Z',
      },
    ],
    total_count: 1,
    unknown: [],
  }),
  notes: [
    'From what was collected, never from the server. Findings are of now, whatever time is asked for; those that came later are left out.',
    'what_is_wrong puts what holds others up first, then what fired, what sessions wait for, what checks found, and what changed before.',
    'At most 31 days can be asked for at once.',
  ],
});
