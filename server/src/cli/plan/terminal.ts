// A plan as a page in a terminal: the verdict first, then the advice, then the tree with a bar of time for each node. Guards: control
// characters of a file never reach the terminal; the tree is readable without colour and in 80 columns.
import { styleText } from 'node:util';
import { cutText, inertBlock, inertLine } from '../../kernel/inert-text.ts';
import type { DiffRow, DiffSide, PlanDiff } from '../../plans/diff.ts';
import { many, shownMisestimate, shownMs, shownNumber, shownPages } from '../../plans/shown-figures.ts';
import type { Advice, Plan, PlanNode } from '../../plans/types.ts';
import { totalMs } from '../../plans/verdict.ts';
import { nameOf, nodesOf } from '../../plans/walk.ts';
import type { CliIo } from '../command.ts';
import { wrapped } from '../wrapped.ts';

type Terminal = Pick<CliIo, 'width' | 'isColoured'>;

const WIDEST = 160;
/** Beyond, the tree is no wider. */
const DEEPEST = 30;
const BAR = 8;
const LONGEST_CONDITION = 400;

const strong = (line: string, { isColoured }: Terminal) =>
  isColoured ? styleText('bold', line, { validateStream: false }) : line;

/** Empty where the whole is not known. */
const bar = (part: number, whole: number | null) => {
  const filled = whole === null || whole <= 0 ? 0 : Math.min(BAR, Math.round((BAR * part) / whole));
  return '█'.repeat(filled).padEnd(BAR, '·');
};

function rowsOf({ total_rows, estimated_rows, loops, never_executed }: PlanNode): string {
  const estimate =
    estimated_rows === null
      ? 'not estimated'
      : `estimated ${shownNumber(estimated_rows)}${estimated_rows === 1 ? ' row' : ' rows'}`;
  if (never_executed) return `never executed (${estimate})`;
  if (total_rows === null) return estimate;
  const times = loops !== null && loops > 1 ? ` × ${shownNumber(loops)} loops` : '';
  return `${shownNumber(total_rows)} ${total_rows === 1 ? 'row' : 'rows'} (${estimate.replace(/ rows?$/, '')}${times})`;
}

function marksOf(node: PlanNode, plan: Plan): string[] {
  const off = shownMisestimate(node.misestimate);
  return [
    ...(node.id === plan.dearest_node ? ['most time'] : []),
    ...(node.id === plan.worst_estimated_node ? ['worst estimate'] : []),
    ...(off === undefined ? [] : [off]),
    ...node.advice.map((one) => `→ ${one.advice}`),
  ];
}

function detailsOf(node: PlanNode): string[] {
  const { own_buffers: pages, rows_removed_by_filter, loops } = node;
  const removed = rows_removed_by_filter === null ? null : rows_removed_by_filter * (loops ?? 1);
  const read = pages === null ? 0 : pages.shared_read + pages.local_read + pages.temp_read;
  const isDisabled = node.details.some(({ name, text }) => name === 'Disabled' && text === 'true');
  return [
    ...(isDisabled ? ['Disabled by a setting, and chosen since there was no other way'] : []),
    ...[...node.keys, ...node.conditions].map(
      ({ name, text }) => `${name}: ${cutText(text, LONGEST_CONDITION, '…')}`,
    ),
    ...(removed === null || removed === 0 ? [] : [`Rows removed by filter: ${shownNumber(removed)}`]),
    ...(pages === null || pages.shared_hit + read === 0
      ? []
      : [`Pages: ${shownPages(pages.shared_hit)} from cache, ${shownPages(read)} read`]),
  ];
}

function treeLines(plan: Plan, terminal: Terminal): string[] {
  const width = Math.min(WIDEST, Math.max(80, terminal.width ?? WIDEST));
  const total = totalMs(plan);
  const depths = new Map([[plan.plan.id, 0]]);
  return nodesOf(plan.plan).flatMap((node) => {
    const depth = depths.get(node.id) ?? 0;
    for (const child of node.children) depths.set(child.id, depth + 1);
    const indent = '  '.repeat(Math.min(DEEPEST, depth));
    const time =
      node.own_ms === null ? '' : `${bar(node.own_ms, total)} ${shownMs(node.own_ms).padStart(8)} `;
    const label = node.subplan === null ? '' : `${node.subplan}: `;
    const marks = marksOf(node, plan);
    const head = `${time}${String(node.id).padStart(4)}  ${indent}${label}${nameOf(node)}`;
    const below = `${' '.repeat(time.length + 6)}${indent}    `;
    const line = strong(inertLine(head), marks.length > 0 ? terminal : {});
    return [
      line,
      ...wrapped([rowsOf(node), ...marks].join(' · '), below, width),
      ...detailsOf(node).flatMap((detail) => wrapped(detail, below, width)),
    ];
  });
}

function adviceLines({ node, title, evidence, action, remedy }: Advice, terminal: Terminal): string[] {
  const width = Math.min(WIDEST, terminal.width ?? 80);
  return [
    strong(inertLine(`! Node ${node}: ${title}`), terminal),
    ...wrapped(evidence, '  ', width),
    ...wrapped(action, '  ', width),
    ...(remedy === null
      ? []
      : inertBlock(remedy)
          .split('\n')
          .map((line) => `      ${line}`)),
    '',
  ];
}

function factsOf(plan: Plan): string[] {
  const time = (name: string, ms: number | null) => (ms === null ? [] : [`${name} ${shownMs(ms)}`]);
  return [
    ...time('planning', plan.planning_ms),
    ...time('execution', plan.execution_ms),
    ...time('in the log', plan.duration_ms),
    ...time('JIT', plan.jit?.total_ms ?? null),
    ...plan.triggers.flatMap(({ name, ms, calls }) => time(`trigger ${name} (${calls ?? '?'} calls)`, ms)),
    many(plan.nodes, 'node'),
    `plan ${plan.plan_hash}`,
    ...(plan.unknown.count === 0
      ? []
      : [`${many(plan.unknown.count, 'unknown line or key', 'unknown lines or keys')}, kept in --json`]),
  ];
}

function settingsLines({ settings }: Plan, width: number): string[] {
  const all = Object.entries(settings).map(([name, value]) => `${name} = '${value}'`);
  return all.length === 0 ? [] : wrapped(`Settings: ${all.join(', ')}`, '', width);
}

export function planLines(plan: Plan, terminal: Terminal): string[] {
  const width = Math.min(WIDEST, terminal.width ?? 80);
  return [
    ...wrapped(plan.verdict, '', width).map((line) => strong(line, terminal)),
    ...wrapped(factsOf(plan).join(' · '), '', width),
    ...settingsLines(plan, width),
    '',
    ...plan.advice.flatMap((one) => adviceLines(one, terminal)),
    ...treeLines(plan, terminal),
  ];
}

const MARKS = { same: ' ', changed: '~', added: '+', removed: '-' } as const;

function side(one: DiffSide | null): string {
  if (one === null) return '–';
  if (one.own_ms !== null) return shownMs(one.own_ms);
  return one.total_cost === null ? '?' : `cost ${shownNumber(one.total_cost)}`;
}

function diffLine({ change, before, after }: DiffRow): string {
  const [was, is] = [before?.name ?? '', after?.name ?? ''];
  const name = change === 'changed' ? `${was} → ${is}` : is || was;
  return `${MARKS[change]} ${side(before).padStart(12)} ${side(after).padStart(12)}  ${name}`;
}

export function diffLines(diff: PlanDiff, terminal: Terminal): string[] {
  const width = Math.min(WIDEST, terminal.width ?? 80);
  return [
    ...wrapped(diff.verdict, '', width).map((line) => strong(line, terminal)),
    '',
    `  ${'before'.padStart(12)} ${'after'.padStart(12)}  node, with its own time`,
    ...diff.rows.map((row) => inertLine(diffLine(row))),
  ];
}
