// The vector of a text, for a search that somebody writes by hand.

import { object, text } from '../../kernel/schema.ts';
import { plainAnswer } from '../mcp/toolbox.service.ts';
import { demandEmbeddings } from './support/embeddings.ts';
import { defineTool } from './types.ts';

export const tool = defineTool({
  name: 'generate_embedding',
  title: 'Embed a text',
  summary: 'Turns a text into a vector, by the configured provider.',
  description:
    'Answers the vector that the configured provider makes of a text, as a literal that pgvector takes. For finding rows by what they mean ask similarity_search, which does it in one step.',
  reaches: 'provider',
  cost: 'The text goes to the provider of embeddings, and counts there.',
  privilege: { id: 16, description: 'Turn text into an embedding' },
  most_statements: 1,
  examples: [{ ask: 'What is the vector of this sentence?', input: { text: 'The queue is full' } }],
  input: object({ text: text({ minLength: 1, maxLength: 30_000, description: 'What to embed.' }) }),
  needs: 'embeddings',
  async run(ctx, { text: wanted }) {
    const embeddings = demandEmbeddings(ctx.deps);
    const [vector = []] = await embeddings.of(ctx).embed([wanted]);
    const source = embeddings.name;
    const lines = [`A vector of ${vector.length} numbers`, `Source: ${source}`, `[${vector.join(',')}]`];
    return { ...plainAnswer(lines.join('\n')), source };
  },
});
