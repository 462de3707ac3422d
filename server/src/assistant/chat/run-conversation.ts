// The conversation that a run belongs to: what was said before, as a model is told it, and what the run adds.

import type { Ctx } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import {
  createConversation,
  getConversation,
  updateConversation,
} from '../conversations/conversations.service.ts';
import type { ChatMessage } from '../providers/support/chat-types.ts';
import type { EventData } from './chat-runs.queries.ts';
import type { ChatRunRequest } from './chat-runs.schemas.ts';

const MOST_MESSAGES = 2000;
const MOST_TOLD = 40;
const MOST_CHARACTERS = 60_000;

type Message = Awaited<ReturnType<typeof getConversation>>['messages'][number];

export interface Talk {
  id: string;
  /** Before the question. */
  before: readonly Message[];
}

/** What stays when a message is asked again: those before it. */
function upTo(messages: readonly Message[], edit_from: number | undefined): readonly Message[] {
  if (edit_from === undefined) return messages;
  if (messages[edit_from]?.role !== 'user')
    throw new Fault('bad_request', 'edit_from must be the index of a message of yours in the conversation.');
  return messages.slice(0, edit_from);
}

/**
 * Writes the question down once `claim` has taken the conversation, so that a refused question changes nothing; 404 where there
 * is no such conversation.
 */
export async function beginTalk(
  ctx: Ctx,
  request: Static<typeof ChatRunRequest>,
  claim: (conversation_id: string) => Promise<void>,
): Promise<Talk> {
  const { conversation_id, edit_from, message } = request;
  const timestamp = new Date(ctx.clock.now()).toISOString();
  const question = { role: 'user' as const, content: message, timestamp };
  if (conversation_id === undefined) {
    if (edit_from !== undefined)
      throw new Fault(
        'bad_request',
        'edit_from needs the conversation_id of the conversation that it is of.',
      );
    const { id } = await createConversation(ctx, { messages: [question] });
    await claim(id);
    return { id, before: [] };
  }
  const read = async () => {
    const before = upTo((await getConversation(ctx, conversation_id)).messages, edit_from);
    if (before.length > MOST_MESSAGES - 2)
      throw new Fault('bad_request', 'The conversation is as long as one may be. Begin a new one.');
    return before;
  };
  await read();
  await claim(conversation_id);
  // Read again: the answer of a run that has just ended belongs to it.
  const before = await read();
  await updateConversation(ctx, conversation_id, { messages: [...before, question] });
  return { id: conversation_id, before };
}

const textOf = ({ content }: Message) => (typeof content === 'string' ? content : '');

/** The newest of what was said before, as text; answers of tools are asked for anew. */
export function historyOf(before: readonly Message[]): ChatMessage[] {
  const told: ChatMessage[] = [];
  let size = 0;
  for (const message of before.toReversed()) {
    const { role } = message;
    const text = textOf(message);
    if ((role !== 'user' && role !== 'assistant') || text === '') continue;
    size += text.length;
    if (told.length >= MOST_TOLD || size > MOST_CHARACTERS) break;
    const next = told[0];
    const block = { type: 'text' as const, text };
    // Two of the same side, where an answer is missing, become one: providers want them to alternate.
    if (next?.role === role) next.blocks.unshift(block);
    else told.unshift({ role, blocks: [block] });
  }
  return told[0]?.role === 'assistant' ? told.slice(1) : told;
}

export interface Said {
  text: string;
  events: readonly EventData[];
  run_id: string;
  model: string | null;
  error: string | undefined;
}

/** Adds the answer; nothing where the conversation has been deleted meanwhile. */
export async function endTalk(
  ctx: Ctx,
  id: string,
  { text, events, run_id, model, error }: Said,
): Promise<void> {
  try {
    const { messages } = await getConversation(ctx, id);
    const activity = events.filter((one) => one.type === 'step' && one.state !== 'started');
    const answer = {
      role: 'assistant' as const,
      content: text,
      timestamp: new Date(ctx.clock.now()).toISOString(),
      ...(model !== null && { model }),
      activity: activity.map((one) => ({ ...one })),
      run_id,
      evidence: events.flatMap((one) => (one.type === 'evidence' ? one.figures : [])),
      statements: events.filter((one) => one.type === 'statement'),
      ...(error !== undefined && { isError: true, error }),
    };
    await updateConversation(ctx, id, { messages: [...messages, answer] });
  } catch (cause) {
    if (!(cause instanceof Fault) || cause.code !== 'not_found') throw cause;
  }
}
