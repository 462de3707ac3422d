// What the plan of a statement says of itself to the chat. Pure.
import { cutText } from '../../../lib/inert-text.ts';
import type { AboutQuestion } from '../../../ui/ask-about.ts';
import type { Statement } from './chat-state.ts';

const NAMED_CHARACTERS = 40;

/** Which plan of many is explained: the beginning of its statement, in one line. */
export function planName({ sql }: Pick<Statement, 'sql'>): string {
  const line = sql.trim().replaceAll(/\s+/g, ' ');
  return `plan of ${line.length <= NAMED_CHARACTERS ? line : `${cutText(line, NAMED_CHARACTERS)}…`}`;
}

/** The question that its button asks, of the server that planned it. */
export function aboutPlan({ sql, plan, connection_id }: Statement): AboutQuestion {
  return {
    message:
      'What does this plan do, which part of it costs most, and how could the statement be made cheaper?',
    about: { kind: 'plan', connection_id, statement: sql, plan },
    ...(connection_id !== null && { scope: { kind: 'server', id: connection_id } }),
  };
}
