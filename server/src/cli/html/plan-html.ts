// A plan, or two beside each other, as a page of HTML that stands by itself.
import { cutText } from '../../kernel/inert-text.ts';
import type { DiffRow, DiffSide, PlanDiff } from '../../plans/diff.ts';
import { many, shownMisestimate, shownMs, shownNumber } from '../../plans/shown-figures.ts';
import type { Advice, Plan, PlanNode } from '../../plans/types.ts';
import { totalMs } from '../../plans/verdict.ts';
import { nameOf, nodesOf } from '../../plans/walk.ts';
import { Html, html, htmlPage, htmlTable } from './page.ts';

const DEEPEST = 30;
const MOST_ROWS = 5000;
const LONGEST_CONDITION = 2000;

function adviceCard({ node, title, evidence, action, remedy }: Advice): Html {
  return html`<section class="card warning"><h3>Node ${node}: ${title}</h3>
<p>${evidence}</p><p>${action}</p>${remedy === null ? null : html`<pre>${remedy}</pre>`}</section>
`;
}

function rowsOf({ total_rows, estimated_rows, loops, never_executed }: PlanNode): string {
  const estimate = estimated_rows === null ? 'unknown' : shownNumber(estimated_rows);
  if (never_executed) return 'never executed';
  if (total_rows === null) return `≈ ${estimate}`;
  return `${shownNumber(total_rows)} of ≈ ${estimate}${loops !== null && loops > 1 ? ` × ${shownNumber(loops)}` : ''}`;
}

function marksOf(node: PlanNode, plan: Plan): Html[] {
  const off = shownMisestimate(node.misestimate);
  return [
    ...(node.id === plan.dearest_node ? ['most time'] : []),
    ...(node.id === plan.worst_estimated_node ? ['worst estimate'] : []),
    ...(off === undefined ? [] : [off]),
    ...node.advice.map(({ title }) => title),
  ].map((text) => html`<span class="mark">${text}</span>`);
}

function nodeCell(node: PlanNode, plan: Plan, depth: number): Html {
  const texts = [...node.keys, ...node.conditions].map(
    ({ name, text }) =>
      html`<div class="dim"><code>${name}: ${cutText(text, LONGEST_CONDITION, '…')}</code></div>`,
  );
  const indent = new Html(` style="padding-inline-start:${Math.min(depth, DEEPEST) * 14}px"`);
  const label = node.subplan === null ? '' : `${node.subplan}: `;
  return html`<div${indent}>${label}${nameOf(node)}${marksOf(node, plan)}${texts}</div>`;
}

function timeCell(node: PlanNode, total: number | null): Html | string {
  if (node.own_ms === null) return '';
  const share = total === null || total <= 0 ? 0 : Math.min(100, Math.round((100 * node.own_ms) / total));
  return html`<span class="bar" aria-hidden="true"><i${new Html(` style="width:${share}%"`)}></i></span>${shownMs(node.own_ms)}`;
}

function treeOf(plan: Plan): Html {
  const depths = new Map([[plan.plan.id, 0]]);
  const total = totalMs(plan);
  const nodes = nodesOf(plan.plan);
  const rows = nodes.slice(0, MOST_ROWS).map((node) => {
    const depth = depths.get(node.id) ?? 0;
    for (const child of node.children) depths.set(child.id, depth + 1);
    return [node.id, timeCell(node, total), nodeCell(node, plan, depth), rowsOf(node)];
  });
  const columns = [
    { title: 'Node', isNumber: true },
    { title: 'Own time', isNumber: true },
    { title: 'What it does' },
    { title: 'Rows of estimate', isNumber: true },
  ];
  const rest =
    nodes.length > MOST_ROWS
      ? html`<p>The first ${MOST_ROWS} of ${many(nodes.length, 'node')} are shown.</p>`
      : null;
  return html`${htmlTable('Nodes', columns, rows)}${rest}`;
}

function factsOf(plan: Plan): string {
  const time = (name: string, ms: number | null) => (ms === null ? [] : [`${name} ${shownMs(ms)}`]);
  return [
    ...time('Planning', plan.planning_ms),
    ...time('Execution', plan.execution_ms),
    ...time('In the log', plan.duration_ms),
    ...time('JIT', plan.jit?.total_ms ?? null),
    many(plan.nodes, 'node'),
    `Plan ${plan.plan_hash}`,
  ].join(' · ');
}

export function planHtml(plan: Plan): string {
  const { query_text: text, advice } = plan;
  return htmlPage(
    'Query plan',
    html`<h1>Query plan</h1>
<p>${plan.verdict}</p>
<p class="dim">${factsOf(plan)}</p>
${text === null ? null : html`<h2>Statement</h2><pre>${text}</pre>`}
${advice.length === 0 ? null : html`<h2>Advice</h2>${advice.map(adviceCard)}`}
<h2>Nodes</h2>
${treeOf(plan)}`,
  );
}

const MARKS = { same: 'Same', changed: 'Changed', added: 'Added', removed: 'Removed' } as const;

function side(one: DiffSide | null): string {
  if (one === null) return '–';
  if (one.own_ms !== null) return shownMs(one.own_ms);
  return one.total_cost === null ? 'unknown' : `cost ${shownNumber(one.total_cost)}`;
}

const nameOfRow = ({ change, before, after }: DiffRow) =>
  change === 'changed' ? `${before?.name ?? ''} → ${after?.name ?? ''}` : (after?.name ?? before?.name ?? '');

export function diffHtml(diff: PlanDiff): string {
  const columns = [
    { title: 'Change' },
    { title: 'Node' },
    { title: 'Before, own time', isNumber: true },
    { title: 'After, own time', isNumber: true },
  ];
  const rows = diff.rows
    .slice(0, MOST_ROWS)
    .map((row) => [MARKS[row.change], nameOfRow(row), side(row.before), side(row.after)]);
  return htmlPage(
    'Two query plans',
    html`<h1>Two query plans</h1>
<p>${diff.verdict}</p>
${htmlTable('Nodes of both plans', columns, rows)}`,
  );
}
