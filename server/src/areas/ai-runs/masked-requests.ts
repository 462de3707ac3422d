// Requests as they may leave. Pure. Guards: every text of a request goes through here; shapes of tools and answers keep their words.
import type { EmbedInput, RankInput } from '../../providers/registry.ts';
import type { ChatBlock, ChatRequest } from '../../providers/support/chat-types.ts';
import type { GenerateInput } from '../../providers/support/generate.ts';
import { EXPLAINED, type Masker } from './masking.ts';

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};

/** JSON Schemas: descriptions and defaults may hold secrets, and nothing else in them is a value. */
function schema(masker: Masker, value: unknown, level = 0): unknown {
  if (typeof value === 'string') return masker.secrets(value);
  if (typeof value !== 'object' || value === null || level > 48) return value;
  if (Array.isArray(value)) return value.map((one) => schema(masker, one, level + 1));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, schema(masker, one, level + 1)]));
}

function block(masker: Masker, one: ChatBlock): ChatBlock {
  if (one.type === 'text') return { ...one, text: masker.text(one.text) };
  if (one.type === 'tool_use') return { ...one, input: asRecord(masker.value(one.input)) };
  if (one.type === 'file')
    return one.filename === undefined ? one : { ...one, filename: masker.text(one.filename) };
  const content = one.content.map((inner) =>
    inner.type === 'text' ? { ...inner, text: masker.text(inner.text) } : inner,
  );
  return { ...one, content };
}

const explained = (masker: Masker, text: string) => (masker.isClean ? text : `${text}\n\n${EXPLAINED}`);

export function maskedChat(masker: Masker, request: ChatRequest): ChatRequest {
  const { messages, tools, response_format: format } = request;
  const system = masker.text(request.system);
  const kept: ChatRequest = {
    ...request,
    messages: messages.map(({ role, blocks }) => ({ role, blocks: blocks.map((one) => block(masker, one)) })),
    tools: tools.map((tool) => ({
      ...tool,
      description: masker.secrets(tool.description),
      input_schema: asRecord(schema(masker, tool.input_schema)),
    })),
    ...(format.type === 'json_schema' && {
      response_format: { ...format, schema: asRecord(schema(masker, format.schema)) },
    }),
  };
  return { ...kept, system: explained(masker, system) };
}

export function maskedGenerate(masker: Masker, input: GenerateInput): GenerateInput {
  const prompt = masker.text(input.prompt);
  return { ...input, prompt, instructions: explained(masker, masker.secrets(input.instructions)) };
}

export function maskedEmbed(masker: Masker, input: EmbedInput): EmbedInput {
  const inputs = input.inputs.map((parts) =>
    parts.map((part) => ('text' in part ? { text: masker.text(part.text) } : part)),
  );
  return { ...input, inputs };
}

export function maskedRank(masker: Masker, input: RankInput): RankInput {
  const documents = input.documents.map((text) => masker.text(text));
  return { ...input, query: masker.text(input.query), documents };
}
