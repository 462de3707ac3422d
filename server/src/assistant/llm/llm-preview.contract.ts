// What a chat request would send, shown before it leaves.
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { LLMChatRequest } from './llm-chat.contract.ts';

const tag = 'llm';
const FIVE_MIB = 5 * 1024 * 1024;

export const previewChat = operation({
  id: 'previewChat',
  route: 'POST /api/v1/llm/preview',
  tag,
  summary: 'Show what a chat request would send',
  access: 'signed-in',
  extra: true,
  bodyLimitBytes: FIVE_MIB,
  body: LLMChatRequest,
  bodyExample: { messages: [{ role: 'user', content: "Why is select 'x' slow?" }] },
  faults: [501],
  success: ok(
    s.component('LLMPreview', {
      provider: s.text(),
      model: s.text(),
      request: s.anyValue({ description: 'The body as the provider would get it.' }),
      masked: s.list(s.object({ kind: s.text(), values: s.integer(), reason: s.text() })),
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
