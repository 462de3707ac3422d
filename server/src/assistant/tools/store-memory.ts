// Remembers a note, for the caller or for everybody.

import { boolean, object, oneOf, optional, text } from '../../kernel/schema.ts';
import { MEMORY_LIMITS, storeMemory } from '../memories/memories.service.ts';
import { defineTool } from './types.ts';

export const tool = defineTool({
  name: 'store_memory',
  title: 'Remember a note',
  summary: 'Remembers a note for later conversations.',
  description:
    'Keeps a note that later conversations can find with recall_memories. scope user is your own; scope system is for all users and takes the permission store_system_memory. Pinned notes are told to every chat: keep them few and short. Store no passwords or data of people.',
  cost: 'Two statements on our datastore.',
  privilege: { id: 20, description: 'Remember a note', is_public: true },
  most_statements: 3,
  examples: [
    {
      ask: 'Remember that the nightly batch runs from 02:00 to 04:00 UTC.',
      input: { content: 'The nightly batch runs from 02:00 to 04:00 UTC.', category: 'schedule' },
    },
  ],
  writes: true,
  input: object({
    content: text({ minLength: 1, maxLength: MEMORY_LIMITS.content, description: 'The note.' }),
    category: text({ minLength: 1, maxLength: 100, description: 'One word, such as preference or fact.' }),
    scope: optional(oneOf(['user', 'system'], { default: 'user', description: 'Whose it is.' })),
    pinned: optional(boolean({ default: false, description: 'Whether it is sent with every chat.' })),
  }),
  async run(ctx, { content, category, scope = 'user', pinned = false }) {
    const { id } = await storeMemory(ctx, { content, category, scope, pinned });
    return `Remembered as memory ${id} (scope ${scope}${pinned ? ', pinned' : ''}). delete_memory with id ${id} takes it back.`;
  },
});
