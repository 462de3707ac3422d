// What would leave. Guards: nothing is sent, counted or kept.

import type { Ctx } from '../../identity/identity.ts';
import type { Output } from '../../kernel/contract.ts';
import { Fault } from '../../kernel/errors.ts';
import type { ModelCalls } from '../ai-runs/model-calls.service.ts';
import type { ConfiguredProvider } from '../providers/registry.ts';
import type { ChatRequest } from '../providers/support/chat-types.ts';
import type { previewChat } from './llm-preview.contract.ts';

const PREVIEW_MS = 5000;
const NOT_SENT = new Error('shown, not sent');

/** The body that the provider would get. */
async function bodyOf(
  provider: ConfiguredProvider,
  request: ChatRequest,
  signal: AbortSignal,
): Promise<unknown> {
  const bodies: string[] = [];
  const outgoing = (body: string | null) => {
    if (body !== null) bodies.push(body);
    throw NOT_SENT;
  };
  try {
    for await (const _ of provider.chat(request, { signal, timeout_ms: PREVIEW_MS, outgoing })) break;
  } catch (error) {
    const [body] = bodies;
    if (body === undefined) throw error;
  }
  return JSON.parse(bodies.at(-1) ?? 'null');
}

export async function preview(
  ctx: Ctx,
  calls: ModelCalls,
  call: { provider: string; request: ChatRequest & { model: string } },
): Promise<Output<typeof previewChat>> {
  const provider = calls.options.providers.get(call.provider);
  if (!provider) throw new Fault('bad_request', 'No LLM provider is configured.');
  const { request, masked } = calls.masked(call.request);
  return {
    provider: provider.name,
    model: call.request.model,
    request: await bodyOf(provider, request, ctx.signal),
    masked,
  };
}
