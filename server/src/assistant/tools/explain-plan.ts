// What a plan says: of the text of EXPLAIN that was pasted, or of a plan that is kept, also beside another one.
import { hasPermission } from '../../identity/identity.ts';
import { diffQueryPlans, getQueryPlan } from '../../insight/insight.ts';
import { Fault, UsageError } from '../../kernel/errors.ts';
import { object, optional, text } from '../../kernel/schema.ts';
import { readPlans } from '../../plans/read.ts';
import type { Plan, PlanNode } from '../../plans/types.ts';
import { nameOf, nodesOf } from '../../plans/walk.ts';
import type { ToolAnswer } from '../mcp/toolbox.service.ts';
import { type Answer, answer, type Section } from './support/answer.ts';
import { connectionFor, connectionInput } from './support/inputs.ts';
import { changesSection } from './support/plan-changes.ts';
import { defineTool, type ToolCtx } from './types.ts';

const MOST_NODES = 200;
const LONGEST = 1_000_000;
const planId = (description: string) => optional(text({ pattern: '^[1-9][0-9]{0,17}$', description }));

function depthsOf(nodes: readonly PlanNode[]): Map<number, number> {
  const depths = new Map<number, number>();
  for (const node of nodes)
    for (const child of node.children) depths.set(child.id, (depths.get(node.id) ?? 0) + 1);
  return depths;
}

const offOf = ({ misestimate: off }: PlanNode) =>
  off === null || off.factor < 2 ? null : `${Math.round(off.factor)} times ${off.direction} than estimated`;

const textsOf = ({ keys, conditions }: PlanNode) =>
  [...keys, ...conditions].map((one) => `${one.name}: ${one.text}`).join('; ');

function sectionsOf(plan: Plan): Section[] {
  const nodes = nodesOf(plan.plan);
  const depths = depthsOf(nodes);
  return [
    {
      title: 'Advice, the weightiest first',
      columns: ['node', 'title', 'evidence', 'action', 'remedy'],
      rows: plan.advice.map((one) => [one.node, one.title, one.evidence, one.action, one.remedy]),
      isWhole: true,
      empty: 'No advice: nothing in the plan calls for it.',
    },
    {
      title: 'Nodes, each below what reads it',
      columns: [
        'node',
        'depth',
        'name',
        'own_ms',
        'rows',
        'estimated_rows',
        'loops',
        'estimate',
        'conditions',
      ],
      rows: nodes
        .slice(0, MOST_NODES)
        .map((node) => [
          ...[node.id, depths.get(node.id) ?? 0, nameOf(node), node.own_ms, node.total_rows],
          ...[node.estimated_rows, node.loops, offOf(node), textsOf(node)],
        ]),
      total: nodes.length,
      rest: 'The page shows all.',
      empty: '',
    },
  ];
}

const SOURCE_OF_TEXT = 'the text that was given; nothing was run';

function ofText(ctx: ToolCtx, given: string): ToolAnswer {
  try {
    const [plan] = readPlans(given);
    if (!plan) throw new UsageError('There is no plan in the text.');
    return answer(ctx, {
      about: plan.verdict,
      source: SOURCE_OF_TEXT,
      page: '/plan',
      sections: sectionsOf(plan),
    });
  } catch (error) {
    if (error instanceof UsageError) throw new Fault('bad_request', error.message);
    throw error;
  }
}

async function ofKept(ctx: ToolCtx, connection_id: number, plan_id: string): Promise<Answer> {
  if (!hasPermission(ctx.principal, 'read_logs'))
    throw new Fault(
      'forbidden',
      'You need the permission read_logs to read plans with their conditions. get_plans lists them without.',
    );
  const { explain, queryid, explain_at, plan } = await getQueryPlan(ctx, connection_id, plan_id);
  const [read] = explain === null ? [] : readPlans(explain);
  if (!read) throw new Fault('not_found', 'The tree of this plan was larger than 128 kB and is not kept.');
  return {
    about: `Plan ${plan_id} of connection ${connection_id}: ${read.verdict}`,
    source: `the slowest run that was read, of ${explain_at}, values masked`,
    ...(queryid !== null && { page: `/servers/${connection_id}/queries/${queryid}?plan=${plan.id}` }),
    sections: sectionsOf(read),
  };
}

async function diffSection(
  ctx: ToolCtx,
  connection_id: number,
  ids: { before: string; after: string },
): Promise<Section[]> {
  const { verdict, rows, changes } = await diffQueryPlans(ctx, connection_id, ids);
  return [
    {
      title: `Beside plan ${ids.before}: ${verdict}`,
      columns: ['change', 'before', 'after', 'before_own_ms', 'after_own_ms'],
      rows: rows.map((one) => [
        ...[one.change, one.before?.name, one.after?.name, one.before?.own_ms, one.after?.own_ms],
      ]),
      empty: '',
    },
    changesSection('What changed between the two', changes),
  ];
}

export const tool = defineTool({
  name: 'explain_plan',
  title: 'Read a plan',
  summary: 'What a plan says: where the time goes, estimates, advice, and a comparison.',
  description:
    'Reads a plan: own time, rows and estimates of each node, and advice with its evidence. Give text, which is what EXPLAIN printed as text, JSON, YAML or XML, or the plan_id of a plan from get_plans; with before_plan_id also what differs from that one, and what changed between both.',
  cost: 'Nothing for a text; a few statements on our datastore for a kept plan, and up to twenty for a comparison.',
  privilege: { id: 36, description: 'Read a plan and compare it with another' },
  most_statements: 40,
  examples: [
    {
      ask: 'What is wrong with this plan?',
      input: { text: 'Seq Scan on orders  (cost=0.00..8334.00 rows=40 width=12)' },
    },
    {
      ask: 'Why is plan 7 slower than plan 3?',
      input: { connection_id: 1, plan_id: '7', before_plan_id: '3' },
    },
  ],
  input: object({
    text: optional(text({ minLength: 1, maxLength: LONGEST, description: 'What EXPLAIN printed.' })),
    ...connectionInput,
    plan_id: planId('From get_plans, instead of a text.'),
    before_plan_id: planId('To compare with.'),
  }),
  async run(ctx, { text: given, connection_id: named, plan_id, before_plan_id }) {
    if ((given === undefined) === (plan_id === undefined))
      throw new Fault('bad_request', 'Give text or plan_id, one of both.');
    if (given !== undefined && named === undefined) return ofText(ctx, given);
    const connection_id = await connectionFor(ctx, named);
    if (given !== undefined) return ofText(ctx, given);
    const after = plan_id ?? '';
    const one = await ofKept(ctx, connection_id, after);
    const diff =
      before_plan_id === undefined
        ? []
        : await diffSection(ctx, connection_id, { before: before_plan_id, after });
    return answer(ctx, { ...one, sections: [...diff, ...one.sections] });
  },
});
