// Requests as they may leave. Pure. Guards: every text of a request goes through here; shapes of tools and answers keep their words.

import type { GenerateInput } from '../../kernel/text-model.ts';
import type { EmbedInput, RankInput } from '../providers/registry.ts';
import type { ChatBlock, ChatFile, ChatRequest } from '../providers/support/chat-types.ts';
import { maskedSource } from './masked-files.ts';
import { EXPLAINED, type Masker } from './masking.ts';
import { isSecretName, saysNothing } from './secret-patterns.ts';

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};

const DEEPEST = 48;
const EXAMPLE = /^(?:default|const|enum|examples?)$/;

interface Within {
  level: number;
  /** Examples of what is named like a secret. */
  isSecret: boolean;
}

/** JSON Schemas: descriptions and defaults may hold secrets, and nothing else in them is a value. */
function schema(masker: Masker, value: unknown, at: Within = { level: 0, isSecret: false }): unknown {
  const { level, isSecret } = at;
  if (typeof value === 'string')
    return isSecret && !saysNothing(value) ? masker.secret(value) : masker.secrets(value);
  if (typeof value !== 'object' || value === null) return value;
  if (level > DEEPEST) return {};
  if (Array.isArray(value)) return value.map((one) => schema(masker, one, { level: level + 1, isSecret }));
  // A member named like a secret says what its value is, not that it is one.
  const of = (name: string, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one) && isSecretName(name)
      ? Object.fromEntries(
          Object.entries(one).map(([key, inner]) => [
            masker.secrets(key),
            schema(masker, inner, { level: level + 2, isSecret: EXAMPLE.test(key) }),
          ]),
        )
      : schema(masker, one, { level: level + 1, isSecret });
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [masker.secrets(key), of(key, one)]));
}

/** The bytes, or the address, and the name of a file. */
function file(masker: Masker, one: ChatFile): ChatFile {
  const { source, media_type, filename } = one;
  const name = filename === undefined ? {} : { filename: masker.text(filename) };
  return { ...one, source: maskedSource(masker, source, media_type), ...name };
}

function block(masker: Masker, one: ChatBlock): ChatBlock {
  if (one.type === 'text') return { ...one, text: masker.text(one.text) };
  if (one.type === 'tool_use') return { ...one, input: asRecord(masker.value(one.input)) };
  if (one.type === 'file') return file(masker, one);
  const content = one.content.map((inner) =>
    inner.type === 'text' ? { ...inner, text: masker.text(inner.text) } : file(masker, inner),
  );
  return { ...one, content };
}

const explained = (masker: Masker, text: string) => (masker.isClean ? text : `${text}\n\n${EXPLAINED}`);

export function maskedChat(masker: Masker, request: ChatRequest): ChatRequest {
  const { messages, tools, response_format: format } = request;
  const system = masker.text(request.system);
  const kept: ChatRequest = {
    ...request,
    stop_sequences: request.stop_sequences.map((text) => masker.secrets(text)),
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
    parts.map((part) =>
      'text' in part
        ? { text: masker.text(part.text) }
        : {
            image: maskedSource(masker, part.image, 'media_type' in part.image ? part.image.media_type : ''),
          },
    ),
  );
  return { ...input, inputs };
}

export function maskedRank(masker: Masker, input: RankInput): RankInput {
  const documents = input.documents.map((text) => masker.text(text));
  return { ...input, query: masker.text(input.query), documents };
}
