// What compaction has to know of a message: its size, which calls of tools it makes or answers, and whether it is an anchor.
// Pure; content is whatever a client sent.
import { cutText } from '../../kernel/inert-text.ts';
import { isRecord } from '../../kernel/read-json.ts';
import type { Static } from '../../kernel/schema.ts';
import type { CompactMessage } from './chat.contract.ts';

export type Message = Static<typeof CompactMessage>;

const BYTES_A_TOKEN = 4;
const TOKENS_A_MESSAGE = 4;
/** How much of a message is looked at for words that say what it is. */
const MOST_SEARCHED = 20_000;

const blocksOf = ({ content }: Message) => (Array.isArray(content) ? content.filter(isRecord) : []);
const textIn = (value: unknown) => (typeof value === 'string' ? value : '');

/** All text of a message, that of its tool results too, cut to what is worth a look. */
export function textOf(message: Message): string {
  const { content } = message;
  if (typeof content === 'string') return cutText(content, MOST_SEARCHED);
  const texts = blocksOf(message).map((block) => {
    const inner = Array.isArray(block.content)
      ? block.content.filter(isRecord).map(({ text }) => textIn(text))
      : [];
    return [textIn(block.text), textIn(block.content), ...inner].filter((text) => text !== '').join('\n');
  });
  return cutText(texts.join('\n'), MOST_SEARCHED);
}

/** A guess on the high side, without a tokenizer: models differ. */
export function tokensOf(message: Message): number {
  const { content } = message;
  const text = typeof content === 'string' ? content : (JSON.stringify(content) ?? '');
  return Math.ceil(Buffer.byteLength(text) / BYTES_A_TOKEN) + TOKENS_A_MESSAGE;
}

export interface ToolCall {
  id: string;
  name: string;
}

/** Calls that it makes; both forms of a tool call are read. */
export function callsOf(message: Message): ToolCall[] {
  return blocksOf(message)
    .filter(({ type }) => type === 'tool_use')
    .map((block) => (isRecord(block.tool_use) ? block.tool_use : block))
    .map(({ id, name }) => ({ id: textIn(id), name: textIn(name) }));
}

/** Ids of the calls that it answers. */
export function answersOf(message: Message): string[] {
  return blocksOf(message)
    .filter(({ type }) => type === 'tool_result')
    .map(({ tool_use_id }) => textIn(tool_use_id));
}

const INSTRUCTION =
  /\b(always|never|from now on|remember|do not|don't|must not|make sure|instead of|please use|in future|keep in mind)\b/i;
const CORRECTION =
  /^\s*(no\b|not\b|wrong\b|actually\b|that'?s (wrong|not)|that is (wrong|not)|i meant\b|correction\b)|\b(you are wrong|you're wrong|not what i)\b/i;
const SCHEMA =
  /\b(create\s+(unlogged\s+)?(table|index|unique index|view|materialized view)|alter\s+table)\b/i;
const SCHEMA_TOOLS = new Set(['get_schema_info']);

/** Says how tables are made. */
export function isSchemaFact(message: Message, toolOf: ReadonlyMap<string, string>): boolean {
  const answered = answersOf(message).map((id) => toolOf.get(id) ?? '');
  return answered.some((name) => SCHEMA_TOOLS.has(name)) || SCHEMA.test(textOf(message));
}

/** What a person wants to hold for the rest of the conversation. */
export function isInstruction(message: Message): boolean {
  if (message.role !== 'user' || answersOf(message).length > 0) return false;
  const text = textOf(message);
  return INSTRUCTION.test(text) || CORRECTION.test(text);
}
