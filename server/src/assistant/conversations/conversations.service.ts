// The rules of conversations: one's own only, so every statement names the caller.
import { randomBytes } from 'node:crypto';
import type { Ctx } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import * as queries from './conversations.queries.ts';

const LONGEST_TITLE = 50;
const LONGEST_PREVIEW = 100;
const LONGEST_ASKED = 16_384;
const NAMELESS = 'New conversation';

const isText = (block: unknown): block is { text: string } =>
  typeof block === 'object' && block !== null && 'text' in block && typeof block.text === 'string';

/** The text of a message, which is a text or blocks of which some are text. */
function textOf({ content }: queries.Message): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .filter(isText)
    .map(({ text }) => text)
    .join('\n');
}

const cut = (text: string, most: number) => [...text.slice(0, most * 2)].slice(0, most).join('');

interface FirstWords {
  title: string;
  preview: string;
  /** All that was asked, cut. */
  asked: string;
}

/** What a conversation is called and searched by: what its person wrote. */
function firstWords(messages: readonly queries.Message[]): FirstWords {
  const texts = messages.filter(({ role }) => role === 'user').map((message) => textOf(message).trim());
  const first = texts.find((text) => text !== '') ?? NAMELESS;
  return {
    title: cut(first, LONGEST_TITLE),
    preview: cut(first, LONGEST_PREVIEW),
    asked: cut(texts.join('\n'), LONGEST_ASKED),
  };
}

interface About {
  provider?: string | undefined;
  model?: string | undefined;
  connection?: string | undefined;
}

const aboutOf = ({ provider, model, connection }: About) => ({
  provider: provider ?? null,
  model: model ?? null,
  connection: connection ?? null,
});

/** What is not known is absent in replies. */
function shown<R extends { connection: string | null; provider?: string | null; model?: string | null }>(
  row: R,
) {
  const { connection, provider, model, ...rest } = row;
  return {
    ...rest,
    ...(connection && { connection }),
    ...(provider && { provider }),
    ...(model && { model }),
  };
}
type Shown<R extends { connection: string | null }> = ReturnType<typeof shown<R>>;

const NONE = new Fault('not_found', 'There is no such conversation.');
const nowOf = ({ clock }: Ctx) => new Date(clock.now()).toISOString();

/** For ILIKE, in which `%` and `_` have to stand for themselves. */
const patternOf = (search: string) => `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`;

export async function listConversations(
  { db, principal }: Ctx,
  { limit = 50, offset = 0, search }: { limit?: number; offset?: number; search?: string },
): Promise<Shown<queries.SummaryRow>[]> {
  const pattern = search === undefined ? null : patternOf(search);
  return (await queries.listOwn(db, principal.user_id, { pattern, limit, offset })).map(shown);
}

export async function createConversation(
  ctx: Ctx,
  body: About & { messages: queries.Message[] },
): Promise<Shown<queries.ConversationRow>> {
  const { messages } = body;
  if (messages.length === 0) throw new Fault('bad_request', 'messages must hold at least one message.');
  const row = await queries.insertOwn(ctx.db, ctx.principal.user_id, {
    id: `conv_${ctx.clock.now()}_${randomBytes(8).toString('hex')}`,
    ...firstWords(messages),
    ...aboutOf(body),
    messages: JSON.stringify(messages),
    now: nowOf(ctx),
  });
  return shown(row);
}

export async function getConversation(
  { db, principal }: Ctx,
  id: string,
): Promise<Shown<queries.ConversationRow>> {
  const found = await queries.findOwn(db, principal.user_id, id);
  if (!found) throw NONE;
  return shown(found);
}

export async function updateConversation(
  ctx: Ctx,
  id: string,
  body: About & { messages?: queries.Message[] },
): Promise<Shown<queries.ConversationRow>> {
  const { messages } = body;
  const words = messages && firstWords(messages);
  const changes: queries.Changes = {
    ...aboutOf(body),
    preview: words?.preview ?? null,
    asked: words?.asked ?? null,
    messages: messages ? JSON.stringify(messages) : null,
  };
  const named = { user_id: ctx.principal.user_id, id, now: nowOf(ctx) };
  const changed = await queries.updateOwn(ctx.db, named, changes);
  if (!changed) throw NONE;
  return shown(changed);
}

export async function renameConversation(ctx: Ctx, id: string, title: string): Promise<void> {
  const named = { user_id: ctx.principal.user_id, id, now: nowOf(ctx) };
  if (!(await queries.renameOwn(ctx.db, named, title))) throw NONE;
}

export async function deleteConversation({ db, principal }: Ctx, id: string): Promise<void> {
  if ((await queries.deleteOwn(db, principal.user_id, id)) === 0) throw NONE;
}

export async function deleteAllConversations({ db, principal }: Ctx, isMeant: boolean): Promise<number> {
  if (!isMeant) throw new Fault('bad_request', 'all must be true: this deletes every conversation of yours.');
  return queries.deleteOwn(db, principal.user_id, null);
}
