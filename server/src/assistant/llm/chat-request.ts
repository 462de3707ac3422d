// From the two forms of a request to one. Guards: what has no clear meaning is refused with the place where it stands, and
// nothing that was sent is dropped in silence.
import { Fault } from '../../kernel/errors.ts';
import { isRecord } from '../../kernel/read-json.ts';
import type { Static } from '../../kernel/schema.ts';
import type {
  ChatBlock,
  ChatFile,
  ChatMessage,
  ChatRequest,
  ChatText,
  ChatTool,
  ResponseFormat,
  ToolChoice,
} from '../providers/support/chat-types.ts';
import type { LLMChatRequest } from './llm-chat.contract.ts';
import { demandPublicAddress } from './public-address.ts';

export type ChatInput = Static<typeof LLMChatRequest>;
type Message = ChatInput['messages'][number];
type Block = Exclude<Message['content'], string>[number];

const USUAL_MAX_TOKENS = 4096;
const IMAGES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const bad = (sentence: string) => new Fault('bad_request', sentence);

function sourceOf(at: string, { url, data }: { url?: string; data?: string }): ChatFile['source'] {
  if ((url === undefined) === (data === undefined)) throw bad(`${at} must have either url or data.`);
  if (url !== undefined) return { url: demandPublicAddress(`${at}.url`, url) };
  if (data === undefined || !BASE64.test(data)) throw bad(`${at}.data must be base64.`);
  return { data };
}

export function imageFile(at: string, image: { url?: string; data?: string; media_type?: string }): ChatFile {
  const source = sourceOf(at, image);
  const media_type = image.media_type ?? ('url' in source ? 'image/*' : '');
  if (media_type !== 'image/*' && !IMAGES.includes(media_type))
    throw bad(`${at}.media_type must be one of ${IMAGES.join(', ')}.`);
  return { type: 'file', media_type, source };
}

/** Text is sent as text, which every model reads. */
function documentBlock(at: string, document: NonNullable<Block['document']>): ChatFile | ChatText {
  const source = sourceOf(at, document);
  const { media_type = 'application/pdf', filename } = document;
  if (!/^[a-z]+\/[a-z0-9.+-]+$/.test(media_type)) throw bad(`${at}.media_type must be a media type.`);
  if (media_type.startsWith('text/') && 'data' in source)
    return { type: 'text', text: Buffer.from(source.data, 'base64').toString('utf8') };
  return { type: 'file', media_type, source, ...(filename && { filename }) };
}

/** Blocks within a tool's result; what is no block of ours is shown as it came. */
function resultContent(at: string, content: unknown): (ChatText | ChatFile)[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [{ type: 'text', text: JSON.stringify(content) }];
  return content.map((entry: unknown, index) => {
    if (!isRecord(entry)) return { type: 'text', text: JSON.stringify(entry) };
    const { type, text, image } = entry;
    if (type === 'text' && typeof text === 'string') return { type, text };
    if (type === 'image' && isRecord(image)) return imageFile(`${at}[${index}].image`, textsOf(image));
    return { type: 'text', text: JSON.stringify(entry) };
  });
}

const textsOf = (record: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );

function toolUse(at: string, block: Block): ChatBlock {
  const id = block.tool_use?.id ?? block.id;
  const name = block.tool_use?.name ?? block.name;
  if (!id || !name) throw bad(`${at} must have an id and a name.`);
  const input = block.tool_use?.input ?? block.input ?? {};
  const signature = block.tool_use?.signature;
  return { type: 'tool_use', id, name, input, ...(signature && { signature }) };
}

function toolResult(at: string, block: Block): ChatBlock {
  if (!block.tool_use_id) throw bad(`${at}.tool_use_id is required.`);
  const content = resultContent(`${at}.content`, block.content ?? block.text);
  return { type: 'tool_result', tool_use_id: block.tool_use_id, content, is_error: block.is_error ?? false };
}

function blockOf(at: string, block: Block): ChatBlock | undefined {
  if (block.type === 'text') {
    if (block.text === undefined || block.text === '') return undefined;
    return { type: 'text', text: block.text };
  }
  if (block.type === 'tool_use') return toolUse(at, block);
  if (block.type === 'tool_result') return toolResult(at, block);
  if (block.type === 'image') {
    if (!block.image) throw bad(`${at}.image is required.`);
    return imageFile(`${at}.image`, block.image);
  }
  if (!block.document) throw bad(`${at}.document is required.`);
  return documentBlock(`${at}.document`, block.document);
}

function blocksOf(at: string, content: Message['content']): ChatBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return content.flatMap((block, index) => {
    const made = blockOf(`${at}[${index}]`, block);
    if (!made) return [];
    return [block.cache_control ? { ...made, is_cached: true } : made];
  });
}

function messageOf({ role, content }: Message, index: number): ChatMessage[] {
  const at = `messages[${index}].content`;
  const blocks = blocksOf(at, content);
  if (blocks.length === 0) return [];
  const is = role === 'assistant' ? 'assistant' : 'user';
  const wrong = is === 'assistant' ? 'tool_result' : 'tool_use';
  if (blocks.some(({ type }) => type === wrong))
    throw bad(`${at} holds a ${wrong}, which a message of the role ${role} cannot have.`);
  return [{ role: is, blocks }];
}

/** What messages of the role system say, which belongs to the system prompt. */
function systemTexts(messages: readonly Message[]): string[] {
  return messages.flatMap(({ role, content }, index) => {
    if (role !== 'system') return [];
    if (typeof content === 'string') return [content];
    const other = content.find(({ type }) => type !== 'text')?.type;
    if (other !== undefined)
      throw bad(
        `messages[${index}].content holds a block of the type ${other}, which a message of the role system cannot have.`,
      );
    return content.flatMap(({ text }) => text ?? []);
  });
}

function toolOf(tool: NonNullable<ChatInput['tools']>[number], index: number, isCompact: boolean): ChatTool {
  const input_schema = tool.input_schema ?? tool.inputSchema;
  if (tool.name === '') throw bad(`tools[${index}].name is required.`);
  if (!input_schema) throw bad(`tools[${index}].input_schema is required.`);
  const description = (isCompact ? tool.compact_description : undefined) ?? tool.description;
  return { name: tool.name, description, input_schema };
}

function choiceOf({ tool_choice, tools = [] }: ChatInput): ToolChoice {
  if (!tool_choice) return { mode: 'auto' };
  const { mode, name } = tool_choice;
  if (mode === 'auto' || mode === 'none') return { mode };
  if (tools.length === 0) throw bad(`tool_choice.mode ${mode} needs tools.`);
  if (mode === 'required') return { mode };
  if (!name || !tools.some((tool) => tool.name === name))
    throw bad('tool_choice.name must be the name of one of the tools.');
  return { mode, name };
}

function formatOf({ response_format: format }: ChatInput): ResponseFormat {
  if (!format || format.type === 'text') return { type: 'text' };
  if (format.type === 'json_object') return { type: 'json_object' };
  const { json_schema } = format;
  if (!json_schema) throw bad('response_format.json_schema is required with the type json_schema.');
  const { schema, name } = json_schema;
  if (!isRecord(schema)) return { type: 'json_schema', schema: json_schema };
  return { type: 'json_schema', schema, ...(typeof name === 'string' && name !== '' && { name }) };
}

export interface Prepared {
  request: Omit<ChatRequest, 'system' | 'model'>;
  /** Texts of the caller that belong into the system prompt, in order. */
  system: string[];
}

/** `isCompact` chooses the short descriptions of tools, where they have one. */
export function chatRequestOf(asked: ChatInput, isCompact: boolean): Prepared {
  const { messages, tools = [], max_tokens = USUAL_MAX_TOKENS, temperature, stop_sequences = [] } = asked;
  const said = messages.flatMap((message, index) =>
    message.role === 'system' ? [] : messageOf(message, index),
  );
  if (said.length === 0) throw bad('messages must hold at least one message with content of a user.');
  const system = [asked.system_prompt, asked.system, ...systemTexts(messages)];
  return {
    request: {
      messages: said,
      tools: tools.map((tool, index) => toolOf(tool, index, isCompact)),
      tool_choice: choiceOf(asked),
      response_format: formatOf(asked),
      max_tokens,
      ...(temperature !== undefined && { temperature }),
      stop_sequences: stop_sequences.filter((text) => text !== ''),
    },
    system: system.flatMap((text) => (text ? [text] : [])),
  };
}
