// Conversations with a model. Guards: each belongs to one person and is reached with a session only; somebody else's reads
// like one that does not exist.
import { created, ok, operationsOf } from '../../kernel/contract.ts';
import {
  anyObject,
  anyValue,
  boolean,
  component,
  displayName,
  integer,
  list,
  object,
  oneOf,
  openObject,
  optional,
  ours,
  text,
  timestamp,
} from '../../kernel/schema.ts';

const operation = operationsOf({ tag: 'conversations' });
const FIVE_MIB = 5 * 1024 * 1024;
const MOST_MESSAGES = 2000;

export const ConversationMessage = openObject(
  {
    role: oneOf(['user', 'assistant', 'system', 'tool']),
    content: anyValue({ description: 'A text, or blocks as the chat operations have them.' }),
    timestamp: optional(text()),
    provider: optional(text()),
    model: optional(text()),
    activity: optional(list(anyObject())),
    isError: optional(boolean()),
  },
  { title: 'ConversationMessage' },
);

const messages = list(ConversationMessage, { maxItems: MOST_MESSAGES });
const about = {
  provider: optional(text({ maxLength: 255 })),
  model: optional(text({ maxLength: 256 })),
  connection: optional(text({ maxLength: 255 })),
};

/** An empty text takes it away. */
const changed = {
  provider: optional(text({ minLength: 0, maxLength: 255 })),
  model: optional(text({ minLength: 0, maxLength: 256 })),
  connection: optional(text({ minLength: 0, maxLength: 255 })),
};

const Conversation = component('Conversation', {
  id: text(),
  username: text(),
  title: text(),
  provider: optional(text()),
  model: optional(text()),
  connection: optional(text()),
  messages: list(ConversationMessage),
  created_at: timestamp(),
  updated_at: timestamp(),
});

const ConversationSummary = component('ConversationSummary', {
  id: text(),
  title: text(),
  connection: optional(text()),
  created_at: timestamp(),
  updated_at: timestamp(),
  preview: text(),
});

const SuccessResponse = component('SuccessResponse', { success: boolean() });
const byId = object({ id: text({ maxLength: 128 }) });
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
  method: 'GET',
  path: '/api/v1/conversations',
  summary: 'List conversations',
  access: 'session',
  query: object({
    limit: optional(integer({ minimum: 1, maximum: 100, default: 50 })),
    offset: optional(integer({ minimum: 0, maximum: 2147483647, default: 0 })),
    search: optional(
      ours(
        text({
          maxLength: 200,
          description: 'Those whose title or whose questions hold this text, in any case.',
        }),
      ),
    ),
  }),
  success: ok(component('ConversationList', { conversations: list(ConversationSummary) }), {
    conversations: [{ ...{ id: example.id, title: example.title, ...times }, preview: message.content }],
  }),
  notes: [
    'Own conversations, newest updated_at first. API tokens are refused with 403 on all conversation operations.',
  ],
});

export const createConversation = operation({
  id: 'createConversation',
  method: 'POST',
  path: '/api/v1/conversations',
  summary: 'Create a conversation',
  access: 'session',
  bodyLimitBytes: FIVE_MIB,
  body: component('ConversationCreateRequest', { messages, ...about }),
  bodyExample: { messages: [message], connection: 'orders-primary' },
  success: created(Conversation, example),
  notes: [
    'title is the first 50 characters of the first user text, preview its first 100.',
    'A user has at most 1,000 conversations: the one that was changed longest ago goes.',
  ],
});

export const deleteAllConversations = operation({
  id: 'deleteAllConversations',
  method: 'DELETE',
  path: '/api/v1/conversations',
  summary: 'Delete all conversations',
  access: 'session',
  query: object({ all: boolean() }),
  paramsExample: { all: true },
  success: ok(component('DeleteAllResponse', { success: boolean(), deleted: integer() }), {
    success: true,
    deleted: 3,
  }),
  notes: ['all=true is required, 400 otherwise. deleted is the number removed.'],
});

export const getConversation = operation({
  id: 'getConversation',
  method: 'GET',
  path: '/api/v1/conversations/{id}',
  summary: 'Get a conversation',
  access: own,
  params: byId,
  paramsExample,
  success: ok(Conversation, example),
  notes: ['The id of another user is 404 here and in the operations below.'],
});

export const updateConversation = operation({
  id: 'updateConversation',
  method: 'PUT',
  path: '/api/v1/conversations/{id}',
  summary: 'Update a conversation',
  access: own,
  params: byId,
  paramsExample,
  bodyLimitBytes: FIVE_MIB,
  body: component('ConversationUpdateRequest', { messages: optional(messages), ...changed }),
  bodyExample: { messages: [message, { role: 'assistant', content: 'A lock convoy on table orders.' }] },
  success: ok(Conversation, example),
  notes: ['messages replaces the stored list when present; absent members stay; the title does not change.'],
});

export const renameConversation = operation({
  id: 'renameConversation',
  method: 'PATCH',
  path: '/api/v1/conversations/{id}',
  summary: 'Rename a conversation',
  access: own,
  params: byId,
  paramsExample,
  body: component('ConversationRenameRequest', { title: displayName() }),
  bodyExample: { title: 'The slow Sunday' },
  success: ok(SuccessResponse, { success: true }),
});

export const deleteConversation = operation({
  id: 'deleteConversation',
  method: 'DELETE',
  path: '/api/v1/conversations/{id}',
  summary: 'Delete a conversation',
  access: own,
  params: byId,
  paramsExample,
  success: ok(SuccessResponse, { success: true }),
});
