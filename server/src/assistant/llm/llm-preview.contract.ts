// What a chat request would send, shown before it leaves.
import { ok, operation } from '../../kernel/contract.ts';
import { anyValue, component, integer, list, object, text } from '../../kernel/schema.ts';
import { LLMChatRequest } from './llm-chat.contract.ts';

const tag = 'llm';
const FIVE_MIB = 5 * 1024 * 1024;

export const previewChat = operation({
  id: 'previewChat',
  method: 'POST',
  path: '/api/v1/llm/preview',
  tag,
  summary: 'Show what a chat request would send',
  access: 'signed-in',
  extra: true,
  bodyLimitBytes: FIVE_MIB,
  body: LLMChatRequest,
  bodyExample: { messages: [{ role: 'user', content: "Why is select 'x' slow?" }] },
  faults: [501],
  success: ok(
    component('LLMPreview', {
      provider: text(),
      model: text(),
      request: anyValue({ description: 'The body as the provider would get it.' }),
      masked: list(object({ kind: text(), values: integer(), reason: text() })),
    }),
    {
      provider: 'ollama',
      model: 'llama3.3',
      request: { model: 'llama3.3', messages: [] },
      masked: [{ kind: 'text', values: 1, reason: 'a text constant of a statement' }],
    },
  ),
  notes: ['Nothing is sent or kept, and no token is counted; it is a call for the limit of calls a minute.'],
});
