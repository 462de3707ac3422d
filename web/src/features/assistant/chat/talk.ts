// One conversation of the panel: asks, follows the answer, opens what was said before, stops. Guards: what was refused changes
// nothing; what is still told of a conversation that was left is not shown; a reload opens it again and follows what still runs.
import { ApiError, call } from '../../../api/client.ts';
import { readTab, writeTab } from '../../../lib/tab-memory.ts';
import { afterEvent, type ChatEvent, newTurn, type Turn } from './chat-state.ts';
import { type Question, runEvents } from './run-events.ts';
import { isOpen, turnsOf } from './stored-turns.ts';

export interface TalkView {
  /** Undefined until the first question has begun. */
  id: string | undefined;
  turns: readonly Turn[];
  /** On its way to the server. */
  pending: string | undefined;
  isRunning: boolean;
  isLoading: boolean;
  /** Why the conversation could not be opened. */
  error: ApiError | undefined;
}

const EMPTY: TalkView = {
  ...{ id: undefined, turns: [], pending: undefined },
  ...{ isRunning: false, isLoading: false, error: undefined },
};

const MOST_RUNS = 10;

const asError = (cause: unknown) =>
  cause instanceof ApiError ? cause : new ApiError('The answer broke off. Ask again.', { status: 0 });

/** The newest run of each conversation that this tab began, oldest first. */
function knownRuns(): readonly (readonly [string, string])[] {
  try {
    const stored: unknown = JSON.parse(readTab('chat-runs') ?? '[]');
    return Array.isArray(stored) ? stored.filter((one) => Array.isArray(one) && one.length === 2) : [];
  } catch {
    return [];
  }
}

function noteRun(conversation: string, run: string): void {
  const others = knownRuns().filter(([id]) => id !== conversation);
  writeTab('chat-runs', JSON.stringify([...others, [conversation, run]].slice(-MOST_RUNS)));
}

export class Talk {
  #view = EMPTY;
  #line = new AbortController();
  /** Of the conversation, so far. */
  #messages = 0;
  readonly #listeners = new Set<() => void>();
  /** When the list of conversations looks different. */
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly view = () => this.#view;

  #set(changed: Partial<TalkView>): void {
    this.#view = { ...this.#view, ...changed };
    for (const listener of this.#listeners) listener();
  }

  #changeLast(change: (turn: Turn) => Turn): void {
    const { turns } = this.#view;
    const last = turns.at(-1);
    if (last) this.#set({ turns: [...turns.slice(0, -1), change(last)] });
  }

  /** Nothing of before is listened to any more. */
  #newLine(): AbortSignal {
    this.#line.abort();
    this.#line = new AbortController();
    return this.#line.signal;
  }

  /**
   * Asks, in the place of a question of before and all that followed it where one is named. Settles once the answer has begun;
   * rejects with an ApiError where the question was refused.
   */
  ask(question: Question, edited?: Turn): Promise<void> {
    const signal = this.#newLine();
    const { id, turns } = this.#view;
    const kept = edited ? turns.slice(0, turns.indexOf(edited)) : turns;
    const index = edited ? edited.index : this.#messages;
    const begun = Promise.withResolvers<void>();
    const begin = (event: Extract<ChatEvent, { type: 'run' }>) => {
      this.#messages = index + 1;
      this.#set({
        ...{ id: event.conversation_id, pending: undefined },
        turns: [...kept, newTurn(question.message, index)],
      });
      writeTab('chat-conversation', event.conversation_id);
      noteRun(event.conversation_id, event.run_id);
      this.#onChange();
      begun.resolve();
    };
    this.#set({ isRunning: true, pending: edited ? undefined : question.message });
    const whole = {
      ...question,
      ...(id !== undefined && { conversation_id: id }),
      ...(edited && { edit_from: edited.index }),
    };
    void this.#follow(whole, signal, begin).then((failure) => {
      if (failure) begun.reject(failure);
      else begun.resolve();
    });
    return begun.promise;
  }

  /** Answers why it never began. */
  async #follow(
    from: Question | string,
    signal: AbortSignal,
    begin: (event: Extract<ChatEvent, { type: 'run' }>) => void,
  ): Promise<ApiError | undefined> {
    let hasBegun = typeof from === 'string';
    let failure: ApiError | undefined;
    try {
      for await (const { event, sequence } of runEvents(from, signal)) {
        if (signal.aborted) return undefined;
        if (event.type === 'run' && !hasBegun) begin(event);
        hasBegun = true;
        this.#changeLast((turn) => ({ ...afterEvent(turn, event), sequence }));
      }
    } catch (cause) {
      failure = asError(cause);
    }
    if (signal.aborted) return undefined;
    this.#set({ isRunning: false, pending: undefined });
    if (!hasBegun) return failure;
    this.#messages += 1;
    const { message: error } = failure ?? {};
    this.#changeLast((turn) => ({ ...turn, isRunning: false, error: error ?? turn.error }));
    this.#onChange();
    return undefined;
  }

  async open(id: string): Promise<void> {
    const signal = this.#newLine();
    writeTab('chat-conversation', id);
    this.#set({ ...EMPTY, id, isLoading: true });
    try {
      const { messages } = await call('getConversation', { params: { id } }, signal);
      if (signal.aborted) return;
      const turns = turnsOf(messages);
      this.#messages = messages.length;
      this.#set({ turns, isLoading: false });
      const run = isOpen(messages) ? knownRuns().find(([of]) => of === id)?.[1] : undefined;
      if (run !== undefined) this.#takeUp(run, signal);
    } catch (cause) {
      if (signal.aborted) return;
      const error = asError(cause);
      // Deleted meanwhile, or of whoever was signed in before.
      if (error.status === 404) this.restart();
      else this.#set({ isLoading: false, error });
    }
  }

  #takeUp(run: string, signal: AbortSignal): void {
    this.#changeLast(({ asked, index }) => newTurn(asked, index));
    this.#set({ isRunning: true });
    void this.#follow(run, signal, () => undefined);
  }

  /** Begins a new one; what still runs goes on for a while on the server. */
  restart(): void {
    this.#newLine();
    this.#messages = 0;
    writeTab('chat-conversation', undefined);
    this.#set(EMPTY);
  }

  /** The answer ends, and what it said so far is kept. */
  stop(): void {
    const id = this.#view.turns.at(-1)?.runId;
    // Where it cannot be stopped any more it has ended.
    if (id !== undefined) call('cancelChatRun', { params: { id } }).catch(() => undefined);
  }

  /** What stood open in this tab before it was loaded again. */
  async resume(): Promise<void> {
    const id = readTab('chat-conversation');
    if (id !== null) await this.open(id);
  }
}
