// Forgets a note.

import { id, object } from '../../kernel/schema.ts';
import { deleteMemory } from '../memories/memories.service.ts';
import { defineTool } from './types.ts';

export const tool = defineTool({
  name: 'delete_memory',
  title: 'Forget a note',
  summary: 'Deletes a note by its id.',
  description:
    'Deletes a note for good. One of scope system takes the permission store_system_memory. recall_memories says the id.',
  cost: 'Two statements on our datastore.',
  privilege: { id: 22, description: 'Forget a note', is_public: true },
  most_statements: 2,
  examples: [{ ask: 'Forget note 4.', input: { id: 4 } }],
  writes: true,
  input: object({ id: id({ description: 'From recall_memories.' }) }),
  async run(ctx, { id: memory }) {
    await deleteMemory(ctx, memory);
    return `Memory ${memory} is deleted.`;
  },
});
