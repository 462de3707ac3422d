// From our messages to those of the AI SDK, which writes them in each provider's own form.
import {
  type ChatBlock,
  type ChatFile,
  type ChatMessage,
  type ChatRequest,
  type ChatText,
  type ChatToolResult,
  type Feature,
  NotCapable,
} from './chat-types.ts';
import type { SdkModel } from './sdk.ts';

type Options = Parameters<SdkModel['doStream']>[0];
type Message = Options['prompt'][number];
type UserPart = Extract<Message, { role: 'user' }>['content'][number];
type AssistantPart = Extract<Message, { role: 'assistant' }>['content'][number];
type ToolPart = Extract<Extract<Message, { role: 'tool' }>['content'][number], { type: 'tool-result' }>;

/** Anthropic keeps what stands before such a mark; other providers do so by themselves. */
const CACHED = { anthropic: { cacheControl: { type: 'ephemeral' } } };
const cached = ({ is_cached }: { is_cached?: boolean }) => (is_cached ? { providerOptions: CACHED } : {});

function filePart({ media_type, source, filename, ...rest }: ChatFile) {
  const data =
    'url' in source
      ? ({ type: 'url', url: new URL(source.url) } as const)
      : ({ type: 'data', data: source.data } as const);
  return {
    type: 'file' as const,
    mediaType: media_type,
    data,
    ...(filename && { filename }),
    ...cached(rest),
  };
}

const textPart = ({ text, ...rest }: ChatText) => ({ type: 'text' as const, text, ...cached(rest) });

function userParts(blocks: readonly ChatBlock[]): UserPart[] {
  return blocks.flatMap((block): UserPart[] => {
    if (block.type === 'text') return [textPart(block)];
    return block.type === 'file' ? [filePart(block)] : [];
  });
}

function assistantParts(blocks: readonly ChatBlock[]): AssistantPart[] {
  return blocks.flatMap((block): AssistantPart[] => {
    if (block.type === 'text') return [textPart(block)];
    if (block.type === 'file') return [filePart(block)];
    if (block.type !== 'tool_use') return [];
    const { id, name, input, signature } = block;
    const options = {
      ...(block.is_cached && CACHED),
      ...(signature !== undefined && { google: { thoughtSignature: signature } }),
    };
    return [{ type: 'tool-call', toolCallId: id, toolName: name, input, providerOptions: options }];
  });
}

const FAILED: ChatText = { type: 'text', text: 'The tool failed.' };

/** That a tool failed is said in a field where the provider has one, in the words of the result elsewhere. */
function outputOf({ content, is_error }: ChatToolResult, lacks: readonly Feature[]): ToolPart['output'] {
  if (content.some(({ type }) => type === 'file'))
    return {
      type: 'content',
      value: [...(is_error ? [FAILED] : []), ...content].map((block) =>
        block.type === 'text' ? { type: 'text', text: block.text } : filePart(block),
      ),
    };
  const value = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  if (!is_error) return { type: 'text', value };
  return lacks.includes('tool_errors')
    ? { type: 'error-json', value: { error: value } }
    : { type: 'error-text', value };
}

interface Answering {
  /** Of tools, by the id of their call. */
  names: ReadonlyMap<string, string>;
  lacks: readonly Feature[];
}

function toolParts(blocks: readonly ChatBlock[], { names, lacks }: Answering): ToolPart[] {
  return blocks.flatMap((block): ToolPart[] => {
    if (block.type !== 'tool_result') return [];
    const toolName = names.get(block.tool_use_id) ?? 'tool';
    return [
      {
        type: 'tool-result',
        toolCallId: block.tool_use_id,
        toolName,
        output: outputOf(block, lacks),
        ...cached(block),
      },
    ];
  });
}

/** What is answered to tools is a message of its own, before what the user says beside it. */
function promptOf({ system, messages }: ChatRequest, lacks: readonly Feature[]): Message[] {
  const uses = messages.flatMap(({ blocks }) => blocks.filter((block) => block.type === 'tool_use'));
  const names = new Map(uses.map(({ id, name }) => [id, name]));
  const said = messages.flatMap(({ role, blocks }): Message[] => {
    if (role === 'assistant') return [{ role, content: assistantParts(blocks) }];
    const results = toolParts(blocks, { names, lacks });
    const content = userParts(blocks);
    return [
      ...(results.length > 0 ? [{ role: 'tool' as const, content: results }] : []),
      ...(content.length > 0 ? [{ role, content }] : []),
    ];
  });
  return system === '' ? said : [{ role: 'system', content: system }, ...said];
}

const filesOf = (messages: readonly ChatMessage[]): ChatFile[] =>
  messages
    .flatMap(({ blocks }) => blocks)
    .flatMap((block) => (block.type === 'tool_result' ? block.content : [block]))
    .filter((block) => block.type === 'file');

/** What the request asks of a provider beyond text. */
function asked({ messages, tools, tool_choice, response_format, stop_sequences }: ChatRequest): Feature[] {
  const files = filesOf(messages);
  const isImage = ({ media_type }: ChatFile) => media_type.startsWith('image/');
  const wanted: Partial<Record<Feature, boolean>> = {
    tools: tools.length > 0,
    tool_choice: tool_choice.mode === 'required' || tool_choice.mode === 'specific',
    json_object: response_format.type === 'json_object',
    json_schema: response_format.type === 'json_schema',
    stop_sequences: stop_sequences.length > 0,
    images: files.some(isImage),
    documents: files.some((file) => !isImage(file)),
    addresses: files.some(({ source }) => 'url' in source),
  };
  const all: readonly Feature[] = [
    'tools',
    'tool_choice',
    'json_object',
    'json_schema',
    'stop_sequences',
    'images',
    'documents',
    'addresses',
  ];
  return all.filter((feature) => wanted[feature]);
}

/** Throws NotCapable where the provider lacks something that is asked for. */
export function demandCapable(request: ChatRequest, lacks: readonly Feature[]): void {
  const missing = asked(request).find((feature) => lacks.includes(feature));
  if (missing) throw new NotCapable(missing);
}

function formatOf({ response_format: format }: ChatRequest): Options['responseFormat'] {
  if (format.type === 'text') return undefined;
  if (format.type === 'json_object') return { type: 'json' };
  return { type: 'json', schema: format.schema, ...(format.name && { name: format.name }) };
}

function toolOptions(
  { tools, tool_choice }: ChatRequest,
  lacks: readonly Feature[],
): Pick<Options, 'tools' | 'toolChoice'> {
  // Where no choice can be told, no tools is the way to say "none".
  if (tools.length === 0 || (tool_choice.mode === 'none' && lacks.includes('tool_choice'))) return {};
  return {
    tools: tools.map(({ name, description, input_schema }) => ({
      type: 'function',
      name,
      description,
      inputSchema: input_schema,
    })),
    toolChoice:
      tool_choice.mode === 'specific'
        ? { type: 'tool', toolName: tool_choice.name }
        : { type: tool_choice.mode },
  };
}

/** What the SDK is called with. */
export function callOptions(request: ChatRequest, lacks: readonly Feature[]): Options {
  const { max_tokens, temperature, stop_sequences } = request;
  const responseFormat = formatOf(request);
  return {
    prompt: promptOf(request, lacks),
    maxOutputTokens: max_tokens,
    ...(temperature !== undefined && { temperature }),
    ...(stop_sequences.length > 0 && { stopSequences: stop_sequences }),
    ...(responseFormat && { responseFormat }),
    ...toolOptions(request, lacks),
  };
}
