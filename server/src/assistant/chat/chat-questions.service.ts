// What can be asked without a model, and what is found already. Guards: of those servers only that the caller sees.

import type { Ctx } from '../../identity/identity.ts';
import { listFindings } from '../../insight/insight.ts';
import type { Output } from '../../kernel/contract.ts';
import type { Static } from '../../kernel/schema.ts';
import { listQuestions } from '../answers/answers.service.ts';
import type { listChatQuestions } from './chat-runs.contract.ts';
import type { ChatScope } from './chat-runs.schemas.ts';
import { serversOf } from './chat-runs.service.ts';

const FINDINGS = 5;

async function topFindings(ctx: Ctx, ids: readonly number[]) {
  if (ids.length === 0) return [];
  const { findings } = await listFindings(ctx, { connection_ids: ids.join(','), limit: FINDINGS });
  return findings.map(({ id, connection_id, server_name, severity, title }) => ({
    ...{ connection_id, server_name, severity, title },
    link: `/findings/${id}`,
  }));
}

interface QuestionsQuery {
  scope_kind?: Static<typeof ChatScope>['kind'];
  scope_id?: number;
}

export async function chatQuestions(
  ctx: Ctx,
  { scope_kind: kind = 'estate', scope_id: id }: QuestionsQuery,
  is_model: boolean,
): Promise<Output<typeof listChatQuestions>> {
  const servers = await serversOf(ctx, { kind, ...(id !== undefined && { id }) });
  const ids = servers.map((server) => server.id);
  return { is_model, questions: listQuestions(), findings: await topFindings(ctx, ids) };
}
