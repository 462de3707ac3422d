// What a conversation is called and searched by: what its person wrote. Pure.
import type { Static } from '../../kernel/schema.ts';
import type { ConversationMessage } from './conversations.contract.ts';

export type Message = Static<typeof ConversationMessage>;

const LONGEST_TITLE = 50;
const LONGEST_PREVIEW = 100;
const LONGEST_ASKED = 16_384;
const NAMELESS = 'New conversation';

const isText = (block: unknown): block is { text: string } =>
  typeof block === 'object' && block !== null && 'text' in block && typeof block.text === 'string';

/** The text of a message, which is a text or blocks of which some are text. */
function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .filter(isText)
    .map(({ text }) => text)
    .join('\n');
}

const cut = (text: string, most: number) => [...text.slice(0, most * 2)].slice(0, most).join('');

export interface FirstWords {
  title: string;
  preview: string;
  /** All that was asked, cut. */
  asked: string;
}

export function firstWords(messages: readonly Message[]): FirstWords {
  const texts = messages.filter(({ role }) => role === 'user').map((message) => textOf(message).trim());
  const first = texts.find((text) => text !== '') ?? NAMELESS;
  return {
    title: cut(first, LONGEST_TITLE),
    preview: cut(first, LONGEST_PREVIEW),
    asked: cut(texts.join('\n'), LONGEST_ASKED),
  };
}
