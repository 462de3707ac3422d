// What is wrong on servers, with proof, and one finding whole.

import { demandConnection } from '../../identity/identity.ts';
import { FINDING_SEVERITIES } from '../../insight/findings/findings.schemas.ts';
import { getFinding, listFindings } from '../../insight/insight.ts';
import { id, integer, object, oneOf, optional } from '../../kernel/schema.ts';
import { many } from '../../plans/shown-figures.ts';
import type { ToolAnswer } from '../mcp/toolbox.service.ts';
import { answer } from './support/answer.ts';
import { anyConnectionInput, limitInput } from './support/inputs.ts';
import { defineTool, type ToolCtx } from './types.ts';

async function whole(ctx: ToolCtx, finding_id: number): Promise<ToolAnswer> {
  const { finding, check, evidence, evidence_rows, remedy } = await getFinding(ctx, finding_id);
  return answer(ctx, {
    about: `${finding.title} on ${finding.server_name} (connection ${finding.connection_id}): ${finding.message}`,
    source: `check ${finding.check}, ${finding.proof}, figures as of ${finding.figured_at}`,
    page: `/findings/${finding.id}`,
    notes: [`Meaning: ${check.meaning}`, `Advice: ${check.advice}`, `Against it: ${check.caution}`],
    sections: [
      {
        title: 'Remedy, for a person to run',
        columns: ['remedy'],
        rows: [[remedy]],
        isWhole: true,
        empty: '',
      },
      {
        title: 'Evidence',
        columns: ['what', 'value'],
        rows: [
          ...Object.entries(evidence).map(([name, value]) => [name, JSON.stringify(value)]),
          ...evidence_rows.slice(0, 10).map((row, index) => [`row ${index + 1}`, JSON.stringify(row)]),
        ],
        empty: 'None beyond what is said.',
      },
    ],
  });
}

export const tool = defineTool({
  name: 'get_findings',
  title: 'What is wrong',
  summary: 'What is wrong on servers, with evidence and remedy.',
  description:
    'Lists findings, worst first: what checks found wrong, with the figure and how well it is proven. With finding_id one of them whole: evidence, remedy and what speaks against it. Remedies are for a person to run.',
  cost: 'Two to four statements on our datastore.',
  privilege: { id: 30, description: 'Read what is wrong on servers' },
  most_statements: 5,
  examples: [
    { ask: 'What is wrong with server 1?', input: { connection_id: 1 } },
    { ask: 'Tell me more of finding 12', input: { finding_id: 12 } },
  ],
  input: object({
    ...anyConnectionInput,
    finding_id: optional(id({ description: 'One of them, whole.' })),
    severity: optional(oneOf(FINDING_SEVERITIES)),
    limit: limitInput(20, 100),
    offset: optional(integer({ minimum: 0, maximum: 100_000, default: 0 })),
  }),
  async run(ctx, { connection_id, finding_id, severity, limit = 20, offset = 0 }) {
    if (connection_id !== undefined) await demandConnection(ctx, { connection_id, need: 'read' });
    if (finding_id !== undefined) return whole(ctx, finding_id);
    const found = await listFindings(ctx, { connection_id, severity, state: 'open', limit, offset });
    const { counts, servers } = found;
    return answer(ctx, {
      about: `${many(found.total, 'open finding')}: ${counts.critical} critical, ${many(counts.warning, 'warning')}, ${counts.info} for information`,
      source: `checks over what was collected, judged at ${servers.oldest_evaluated_at ?? 'no time yet'} or later`,
      page: connection_id === undefined ? '/findings' : `/servers/${connection_id}?tab=findings`,
      notes: servers.waiting > 0 ? [`Not judged yet: ${many(servers.waiting, 'server')}.`] : [],
      sections: [
        {
          columns: [
            'id',
            'severity',
            'server',
            'connection_id',
            'title',
            'database',
            'object',
            'message',
            'proof',
            'since',
            'figures_of',
          ],
          rows: found.findings.map((one) => [
            ...[one.id, one.severity, one.server_name, one.connection_id, one.title, one.database_name],
            ...[one.object_name, one.message, one.proof, one.opened_at, one.figured_at],
          ]),
          total: found.total,
          rest: `Ask again with offset ${offset + found.findings.length}.`,
          empty: 'Nothing is open.',
        },
      ],
    });
  },
});
