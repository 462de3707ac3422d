// The proxy to models that make vectors of texts and images, and to those that order documents by a question.
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

const LIMITS = { bodyLimitBytes: 5 * 1024 * 1024, timeLimitSeconds: 310 } as const;

const EmbedRequest = s.component('EmbedRequest', {
  input: s.list(s.text(), { minItems: 1, maxItems: 256 }),
  provider: s.optional(s.text()),
  model: s.optional(s.text()),
});
const EmbedResponse = s.component('EmbedResponse', { embeddings: s.list(s.list(s.number())) });

const EmbedMultimodalRequest = s.component('EmbedMultimodalRequest', {
  inputs: s.list(
    s.object({
      content: s.list(
        s.object({
          type: s.oneOf(['text', 'image_url', 'image_base64']),
          text: s.optional(s.text()),
          image_url: s.optional(s.text()),
          image_base64: s.optional(s.text()),
          mime_type: s.optional(s.text()),
        }),
      ),
    }),
    { minItems: 1 },
  ),
  provider: s.optional(s.text()),
  model: s.optional(s.text()),
});

const RerankRequest = s.component('RerankRequest', {
  query: s.text({ minLength: 1 }),
  documents: s.list(s.text(), { minItems: 1, maxItems: 1000 }),
  top_k: s.optional(s.integer({ minimum: 1 })),
  provider: s.optional(s.text()),
  model: s.optional(s.text()),
});
const RerankResponse = s.component('RerankResponse', {
  results: s.list(
    s.object({
      index: s.integer({ description: 'Place in the list of documents that was sent.' }),
      relevance_score: s.number(),
      document: s.optional(s.text()),
    }),
  ),
  usage: s.object({ total_tokens: s.integer({ description: 'Estimated where the provider does not say.' }) }),
});

const shared = {
  tag: 'llm',
  access: 'signed-in',
  ...LIMITS,
  faults: [501, 502, 504],
} as const;

export const embed = operation({
  ...shared,
  id: 'embed',
  route: 'POST /api/v1/llm/embed',
  summary: 'Embeddings for input text',
  body: EmbedRequest,
  bodyExample: { input: ['Why is orders slow?'] },
  success: { status: 200, schema: EmbedResponse, example: { embeddings: [[0.0123, -0.0456, 0.0789]] } },
  notes: ['At most 256 inputs. Vectors come in input order.'],
});

export const embedMultimodal = operation({
  ...shared,
  id: 'embedMultimodal',
  route: 'POST /api/v1/llm/embed/multimodal',
  summary: 'Embeddings for text and image inputs',
  body: EmbedMultimodalRequest,
  bodyExample: { inputs: [{ content: [{ type: 'text', text: 'A lock tree' }] }] },
  success: { status: 200, schema: EmbedResponse, example: { embeddings: [[0.0123, -0.0456, 0.0789]] } },
  notes: [
    'image_url must be https on a public address (400 otherwise); image_base64 needs mime_type image/png, image/jpeg, image/webp or image/gif.',
    'At most 256 inputs. Nothing is fetched by this server.',
  ],
});

export const rerank = operation({
  ...shared,
  id: 'rerank',
  route: 'POST /api/v1/llm/rerank',
  summary: 'Rank documents against a query',
  body: RerankRequest,
  bodyExample: { query: 'locks', documents: ['About locks.', 'About disks.'], top_k: 1 },
  success: ok(RerankResponse, {
    results: [{ index: 0, relevance_score: 0.92, document: 'About locks.' }],
    usage: { total_tokens: 12 },
  }),
  notes: ['Best first. top_k defaults to all documents, at most 1,000.'],
});
