// Conversations with a model. Guards: each belongs to one person and is reached with a session only; somebody else's reads
// like one that does not exist.
import { created, ok, operationsOf } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

const operation = operationsOf({ tag: 'conversations' });
const FIVE_MIB = 5 * 1024 * 1024;
const MOST_MESSAGES = 2000;

export const ConversationMessage = s.openObject(
  {
    role: s.oneOf(['user', 'assistant', 'system', 'tool']),
    content: s.anyValue({ description: 'A text, or blocks as the chat operations have them.' }),
    timestamp: s.optional(s.text()),
    provider: s.optional(s.text()),
    model: s.optional(s.text()),
    activity: s.optional(s.list(s.anyObject())),
    isError: s.optional(s.boolean()),
  },
  { title: 'ConversationMessage' },
);

const messages = s.list(ConversationMessage, { maxItems: MOST_MESSAGES });
const about = {
  provider: s.optional(s.text({ maxLength: 255 })),
  model: s.optional(s.text({ maxLength: 256 })),
  connection: s.optional(s.text({ maxLength: 255 })),
};

/** An empty text takes it away. */
const changed = {
  provider: s.optional(s.text({ minLength: 0, maxLength: 255 })),
  model: s.optional(s.text({ minLength: 0, maxLength: 256 })),
  connection: s.optional(s.text({ minLength: 0, maxLength: 255 })),
};

const Conversation = s.component('Conversation', {
  id: s.text(),
  username: s.text(),
  title: s.text(),
  provider: s.optional(s.text()),
  model: s.optional(s.text()),
  connection: s.optional(s.text()),
  messages: s.list(ConversationMessage),
  created_at: s.timestamp(),
  updated_at: s.timestamp(),
});

const ConversationSummary = s.component('ConversationSummary', {
  id: s.text(),
  title: s.text(),
  connection: s.optional(s.text()),
  created_at: s.timestamp(),
  updated_at: s.timestamp(),
  preview: s.text(),
});

const SuccessResponse = s.component('SuccessResponse', { success: s.boolean() });
const byId = s.object({ id: s.text({ maxLength: 128 }) });
const paramsExample = { id: 'conv_1763846400000_9f86d081884c7d65' };
const message = { role: 'user' as const, content: 'Why is orders-primary slow since noon?' };
const times = { created_at: '2026-11-22T12:00:00.000Z', updated_at: '2026-11-22T12:01:00.000Z' };
const example = {
  ...{ id: paramsExample.id, username: 'ada', title: message.content, connection: 'orders-primary' },
  ...{ messages: [message], ...times },
};
/** An object of the operations below: a session, and one's own. */
const own = { object: 'conversation', session: true as const };

export const listConversations = operation({
  id: 'listConversations',
  route: 'GET /api/v1/conversations',
  summary: 'List conversations',
  access: 'session',
  query: s.object({
    limit: s.optional(s.integer({ minimum: 1, maximum: 100, default: 50 })),
    offset: s.optional(s.integer({ minimum: 0, maximum: 2147483647, default: 0 })),
    search: s.optional(
      s.ours(
        s.text({
          maxLength: 200,
          description: 'Those whose title or whose questions hold this text, in any case.',
        }),
      ),
    ),
  }),
  success: ok(s.component('ConversationList', { conversations: s.list(ConversationSummary) }), {
    conversations: [{ ...{ id: example.id, title: example.title, ...times }, preview: message.content }],
  }),
  notes: [
    'Own conversations, newest updated_at first. API tokens are refused with 403 on all conversation operations.',
  ],
});

export const createConversation = operation({
  id: 'createConversation',
  route: 'POST /api/v1/conversations',
  summary: 'Create a conversation',
  access: 'session',
  bodyLimitBytes: FIVE_MIB,
  body: s.component('ConversationCreateRequest', { messages, ...about }),
  bodyExample: { messages: [message], connection: 'orders-primary' },
  success: created(Conversation, example),
  notes: [
    'title is the first 50 characters of the first user text, preview its first 100.',
    'A user has at most 1,000 conversations: the one that was changed longest ago goes.',
  ],
});

export const deleteAllConversations = operation({
  id: 'deleteAllConversations',
  route: 'DELETE /api/v1/conversations',
  summary: 'Delete all conversations',
  access: 'session',
  query: s.object({ all: s.boolean() }),
  paramsExample: { all: true },
  success: ok(s.component('DeleteAllResponse', { success: s.boolean(), deleted: s.integer() }), {
    success: true,
    deleted: 3,
  }),
  notes: ['all=true is required, 400 otherwise. deleted is the number removed.'],
});

export const getConversation = operation({
  id: 'getConversation',
  route: 'GET /api/v1/conversations/{id}',
  summary: 'Get a conversation',
  access: own,
  params: byId,
  paramsExample,
  success: ok(Conversation, example),
  notes: ['The id of another user is 404 here and in the operations below.'],
});

export const updateConversation = operation({
  id: 'updateConversation',
  route: 'PUT /api/v1/conversations/{id}',
  summary: 'Update a conversation',
  access: own,
  params: byId,
  paramsExample,
  bodyLimitBytes: FIVE_MIB,
  body: s.component('ConversationUpdateRequest', { messages: s.optional(messages), ...changed }),
  bodyExample: { messages: [message, { role: 'assistant', content: 'A lock convoy on table orders.' }] },
  success: ok(Conversation, example),
  notes: ['messages replaces the stored list when present; absent members stay; the title does not change.'],
});

export const renameConversation = operation({
  id: 'renameConversation',
  route: 'PATCH /api/v1/conversations/{id}',
  summary: 'Rename a conversation',
  access: own,
  params: byId,
  paramsExample,
  body: s.component('ConversationRenameRequest', { title: s.displayName() }),
  bodyExample: { title: 'The slow Sunday' },
  success: ok(SuccessResponse, { success: true }),
});

export const deleteConversation = operation({
  id: 'deleteConversation',
  route: 'DELETE /api/v1/conversations/{id}',
  summary: 'Delete a conversation',
  access: own,
  params: byId,
  paramsExample,
  success: ok(SuccessResponse, { success: true }),
});
