// The shapes of questions that are answered by rules, without a model, and of their answers.
import { component, id, integer, list, nullable, oneOf, text, timestamp } from '../../kernel/schema.ts';

export const QUESTIONS = [
  'what_is_wrong',
  'what_changed',
  'who_blocks_whom',
  'what_is_slow',
  'what_runs_out',
] as const;

const POINT_KINDS = ['lock', 'alert', 'wait', 'finding', 'statement', 'change', 'runway'] as const;
const POINT_SEVERITIES = ['info', 'warning', 'critical'] as const;

export const AnswerPoint = component('AnswerPoint', {
  kind: oneOf(POINT_KINDS),
  name: text({
    description:
      'What tells it from others of its kind: the rule, the check, the class of wait, the type of event, the queryid, what runs out, or `pid 4711`.',
  }),
  severity: oneOf(POINT_SEVERITIES),
  says: text({ description: 'What is so, with its figures, in one or two sentences.' }),
  advice: nullable(text({ description: 'What to do about it; null: that depends on what it comes from.' })),
  about: nullable(
    text({
      description: 'The object, database or statement that it is about; null: the server as a whole.',
    }),
  ),
  since: nullable(timestamp({ description: 'Since when it is so; null: unknown.' })),
  as_of: nullable(
    timestamp({ description: 'Of when its figures are; null: they come from the whole window.' }),
  ),
  path: text({ description: 'The page of the web interface that shows it, at that time.' }),
});

const Unknown = component('AnswerUnknown', {
  about: text({ description: 'What could not be looked at.' }),
  because: text(),
  mend: nullable(text({ description: 'The SQL or command that fixes it.' })),
});

export const Answer = component('Answer', {
  connection_id: id(),
  question: oneOf(QUESTIONS),
  asked: text({ description: 'The question in words.' }),
  start_time: timestamp(),
  end_time: timestamp(),
  summary: text({ description: 'The answer in a few sentences.' }),
  points: list(AnswerPoint, { description: 'What matters most first.' }),
  total_count: integer({ minimum: 0, description: 'Points before limit.' }),
  unknown: list(Unknown, { description: 'What the answer is without, and why; at most 20.' }),
});

export const QuestionInfo = component('Question', {
  question: oneOf(QUESTIONS),
  asked: text({ description: 'The question in words.' }),
  says: text({ description: 'What the answer is made of.' }),
  hours: integer({ description: 'How far back it looks where no time is named.' }),
});
