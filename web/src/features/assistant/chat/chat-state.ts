// What the panel shows of a conversation, made of the events of its runs. Pure.
import type { OperationTypes } from '../../../api/operations.gen.ts';

export type ChatEvent = OperationTypes['startChatRun']['result'];
type Of<T extends ChatEvent['type']> = Extract<ChatEvent, { type: T }>;
export type Step = Of<'step'>;
export type Figure = Of<'evidence'>['figures'][number];
export type Statement = Of<'statement'>;

export interface Turn {
  /** Empty where an answer stands without a question. */
  asked: string;
  /** Of the question among the messages of its conversation. */
  index: number;
  runId: string | undefined;
  /** Of the newest event, from which a broken stream goes on. */
  sequence: number;
  isModel: boolean;
  steps: readonly Step[];
  text: string;
  figures: readonly Figure[];
  statements: readonly Statement[];
  error: string | undefined;
  isRunning: boolean;
}

/** A question that is being answered. */
export const newTurn = (asked: string, index: number): Turn => ({
  ...{
    asked,
    index,
    runId: undefined,
    sequence: 0,
    isModel: true,
    steps: [],
    text: '',
    figures: [],
    statements: [],
  },
  ...{ error: undefined, isRunning: true },
});

/** The turn after an event; a step that is told again stands in for what it was. */
export function afterEvent(turn: Turn, event: ChatEvent): Turn {
  switch (event.type) {
    case 'run':
      return { ...turn, runId: event.run_id, isModel: event.is_model };
    case 'step':
      return { ...turn, steps: [...turn.steps.filter(({ number }) => number !== event.number), event] };
    case 'text':
      return { ...turn, text: turn.text + event.delta };
    case 'evidence':
      return { ...turn, figures: event.figures };
    case 'statement':
      return { ...turn, statements: [...turn.statements, event] };
    case 'error':
      return { ...turn, error: event.error };
    // It is over when the stream is: until then the server is still writing it down.
    case 'done':
      return turn;
  }
}
