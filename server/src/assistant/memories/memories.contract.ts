// What assistants were asked to remember, for one person (scope user) or for everybody (scope system). They are written by
// assistants, through the MCP tools.

import { ok, operationsOf, StatusResponse } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

const operation = operationsOf({ tag: 'memories' });
export const MEMORY_SCOPES = ['user', 'system'] as const;

const Memory = s.component('Memory', {
  id: s.longId(),
  username: s.text({ description: 'Who had it remembered.' }),
  scope: s.oneOf(MEMORY_SCOPES),
  category: s.text(),
  content: s.text(),
  pinned: s.boolean({ description: 'Whether it is sent with every chat.' }),
  model_name: s.text(),
  created_at: s.timestamp(),
  updated_at: s.timestamp(),
});
const byId = s.object({ id: s.longId() });
const paramsExample = { id: 4 };
const example = {
  ...{
    id: 4,
    username: 'ada',
    scope: 'user' as const,
    category: 'preference',
    pinned: true,
    model_name: 'qwen3',
  },
  content: 'Reports in UTC.',
  created_at: '2026-11-22T12:00:00.000Z',
  updated_at: '2026-11-22T12:00:00.000Z',
};
const notes = [
  'Scope system needs permission store_system_memory, and no token that is limited to some connections (403). The id of another user is 404.',
];

export const listMemories = operation({
  id: 'listMemories',
  route: 'GET /api/v1/memories',
  summary: 'List memories',
  access: 'signed-in',
  query: s.object({
    category: s.optional(s.text()),
    limit: s.optional(s.integer({ minimum: 1, maximum: 1000, default: 100 })),
    pinned: s.optional(s.boolean()),
  }),
  success: ok(s.component('MemoryList', { memories: s.list(Memory) }), { memories: [example] }),
  notes: [
    "The caller's own memories and all of scope system, pinned first, then newest. All are listed; pinned=true or false filters.",
  ],
});

export const deleteMemory = operation({
  id: 'deleteMemory',
  route: 'DELETE /api/v1/memories/{id}',
  summary: 'Delete a memory',
  access: { object: 'memory' },
  faults: [403],
  params: byId,
  paramsExample,
  success: ok(StatusResponse, { status: 'deleted' }),
  notes: ['status is "deleted".', ...notes],
});

export const pinMemory = operation({
  id: 'pinMemory',
  route: 'PATCH /api/v1/memories/{id}',
  summary: 'Pin or unpin a memory',
  access: { object: 'memory' },
  faults: [403],
  params: byId,
  paramsExample,
  body: s.component('MemoryPinRequest', { pinned: s.boolean() }),
  bodyExample: { pinned: true },
  success: ok(s.component('MemoryPinResponse', { id: s.longId(), pinned: s.boolean() }), {
    id: 4,
    pinned: true,
  }),
  notes,
});
