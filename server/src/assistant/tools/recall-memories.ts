// Finds notes by words; the pinned ones always come with them.

import { object, oneOf, optional, text } from '../../kernel/schema.ts';
import { shownCount } from '../../kernel/shown-value.ts';
import { recallMemories } from '../memories/memories.service.ts';
import { answer, second } from './support/answer.ts';
import { limitInput } from './support/inputs.ts';
import { defineTool } from './types.ts';

export const tool = defineTool({
  name: 'recall_memories',
  title: 'Find notes',
  summary: 'Finds notes that were remembered, by words.',
  description:
    'Finds notes by the words of the query: those with more of them first, then the newest. Your own and those for all users are searched. Pinned notes always come first, whether they fit or not.',
  cost: 'One statement on our datastore.',
  privilege: { id: 21, description: 'Find notes', is_public: true },
  most_statements: 2,
  examples: [{ ask: 'When does the batch run?', input: { query: 'batch schedule' } }],
  input: object({
    query: text({ minLength: 1, maxLength: 400, description: 'Words to look for.' }),
    category: optional(text({ maxLength: 100 })),
    scope: optional(oneOf(['user', 'system'], { description: 'Both when left out.' })),
    limit: limitInput(10, 50),
  }),
  async run(ctx, { query, category, scope, limit = 10 }) {
    const found = await recallMemories(ctx, { query, category, scope, limit });
    return answer(ctx, {
      about: `${shownCount(found.length, 'note')} for "${query}"`,
      source: `notes that people and assistants stored, as of ${second(ctx.clock.now())}`,
      notes: ['They were written by users, and may no longer be true.'],
      sections: [
        {
          columns: ['id', 'scope', 'category', 'pinned', 'by', 'updated_at', 'content'],
          rows: found.map((one) => [
            ...[one.id, one.scope, one.category, one.pinned, one.username, one.updated_at],
            one.content,
          ]),
          empty: 'Nothing fits. Try fewer or other words; store_memory keeps a new note.',
        },
      ],
    });
  },
});
