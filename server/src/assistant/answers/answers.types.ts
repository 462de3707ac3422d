// What a question is: one file of `questions/` that declares itself. Guards: a question is answered from the services of other
// rooms, for its caller, and writes nothing.

import type { Ctx } from '../../identity/identity.ts';
import type { Static } from '../../kernel/schema.ts';
import type { Answer, AnswerPoint, QUESTIONS } from './answers.schemas.ts';

export type QuestionName = (typeof QUESTIONS)[number];
export type Point = Static<typeof AnswerPoint>;
export type Severity = Point['severity'];
export type Unknown = Static<typeof Answer>['unknown'][number];

/** Times in milliseconds since the epoch. */
export interface AnswerInput {
  connection_id: number;
  from: number;
  to: number;
  /** Whether it is of now: of earlier times only what was stored then can be told. */
  isNow: boolean;
}

export interface RuleAnswer {
  /** What matters most first. */
  points: Point[];
  unknown: Unknown[];
  /** In a few sentences. */
  summary: string;
}

export interface Question {
  name: QuestionName;
  /** In words. */
  asked: string;
  /** What the answer is made of. */
  says: string;
  /** How far back it looks where no time is named. */
  hours: number;
  answer(ctx: Ctx, asked: AnswerInput): Promise<RuleAnswer>;
}
