// The shapes of questions that are answered by rules, without a model, and of their answers.
import * as s from '../../kernel/schema.ts';

export const QUESTIONS = [
  'what_is_wrong',
  'what_changed',
  'who_blocks_whom',
  'what_is_slow',
  'what_runs_out',
] as const;

const POINT_KINDS = ['lock', 'alert', 'wait', 'finding', 'statement', 'change', 'runway'] as const;
const POINT_SEVERITIES = ['info', 'warning', 'critical'] as const;

export const AnswerPoint = s.component('AnswerPoint', {
  kind: s.oneOf(POINT_KINDS),
  name: s.text({
    description:
      'What tells it from others of its kind: the rule, the check, the class of wait, the type of event, the queryid, what runs out, or `pid 4711`.',
  }),
  severity: s.oneOf(POINT_SEVERITIES),
  says: s.text({ description: 'What is so, with its figures, in one or two sentences.' }),
  advice: s.nullable(
    s.text({ description: 'What to do about it; null: that depends on what it comes from.' }),
  ),
  sql: s.nullable(
    s.text({ description: 'The statement that the advice is about; it is never run by itself.' }),
  ),
  about: s.nullable(
    s.text({
      description: 'The object, database or statement that it is about; null: the server as a whole.',
    }),
  ),
  since: s.nullable(s.timestamp({ description: 'Since when it is so; null: unknown.' })),
  as_of: s.nullable(
    s.timestamp({ description: 'Of when its figures are; null: they come from the whole window.' }),
  ),
  path: s.text({ description: 'The page of the web interface that shows it, at that time.' }),
});

const Unknown = s.component('AnswerUnknown', {
  about: s.text({ description: 'What could not be looked at.' }),
  because: s.text(),
  mend: s.nullable(s.text({ description: 'The SQL or command that fixes it.' })),
});

export const Answer = s.component('Answer', {
  connection_id: s.id(),
  question: s.oneOf(QUESTIONS),
  asked: s.text({ description: 'The question in words.' }),
  start_time: s.timestamp(),
  end_time: s.timestamp(),
  summary: s.text({ description: 'The answer in a few sentences.' }),
  points: s.list(AnswerPoint, { description: 'What matters most first.' }),
  total_count: s.integer({ minimum: 0, description: 'Points before limit.' }),
  unknown: s.list(Unknown, { description: 'What the answer is without, and why; at most 20.' }),
});

export const QuestionInfo = s.component('Question', {
  question: s.oneOf(QUESTIONS),
  asked: s.text({ description: 'The question in words.' }),
  says: s.text({ description: 'What the answer is made of.' }),
  hours: s.integer({ description: 'How far back it looks where no time is named.' }),
});
