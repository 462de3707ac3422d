// What is known of the chosen node: what it does, its figures, conditions, and the advice on it.
import { countOf } from '../../../lib/format.ts';
import { inertBlock } from '../../../lib/inert-text.ts';
import {
  type Advice,
  nameOf,
  type Plan,
  type PlanNode,
  shownKb,
  shownMisestimate,
  shownMs,
  shownNumber,
  shownPages,
  shownShare,
  totalMs,
} from '../../../lib/plans.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { type KeyValue, KeyValues } from '../../../ui/key-values.tsx';
import layout from '../../../ui/layout.module.css';
import { Panel } from '../../../ui/panel.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import classes from './plan.module.css';

const NOT_RUN = 'Run EXPLAIN with ANALYZE to see it';
const NO_BUFFERS = 'Run EXPLAIN with ANALYZE and BUFFERS to see it';

function timeOf({ own_ms, inclusive_ms }: PlanNode, plan: Plan): KeyValue {
  const total = totalMs(plan);
  if (own_ms === null) return { name: 'Own time', value: <Unknown because={NOT_RUN} /> };
  const share = total === null ? '' : `, ${shownShare(own_ms, total)} of the statement`;
  return {
    name: 'Own time',
    value: `${shownMs(own_ms)}${share}`,
    detail: inclusive_ms === null ? undefined : `${shownMs(inclusive_ms)} with everything below`,
  };
}

function rowsOf(node: PlanNode): KeyValue {
  const { total_rows, estimated_rows, loops, misestimate } = node;
  const each = loops !== null && loops > 1 ? ` in each of ${shownNumber(loops)} loops` : '';
  const estimate = estimated_rows === null ? undefined : `${shownNumber(estimated_rows)} estimated${each}`;
  return {
    name: 'Rows',
    value: total_rows === null ? <Unknown because={NOT_RUN} /> : shownNumber(total_rows),
    detail: [estimate, shownMisestimate(misestimate)].filter(Boolean).join('; '),
  };
}

function pagesOf({ own_buffers: pages }: PlanNode): KeyValue {
  if (pages === null) return { name: 'Pages', value: <Unknown because={NO_BUFFERS} /> };
  const temp = pages.temp_read + pages.temp_written;
  return {
    name: 'Pages',
    value: `${shownPages(pages.shared_hit + pages.local_hit)} from cache, ${shownPages(pages.shared_read + pages.local_read)} read`,
    detail: temp === 0 ? undefined : `${shownPages(temp)} of temporary files`,
  };
}

function moreOf(node: PlanNode): KeyValue[] {
  const removed = node.rows_removed_by_filter;
  const items: (KeyValue | undefined)[] = [
    removed === null
      ? undefined
      : { name: 'Removed by filter', value: countOf(removed * (node.loops ?? 1), 'row') },
    node.workers_planned === null
      ? undefined
      : { name: 'Workers', value: `${node.workers_launched ?? '?'} of ${node.workers_planned} launched` },
    ...node.spills.map(({ what, disk_kb, batches }, index) => ({
      name: index === 0 ? 'Spilled' : `Spilled ${index + 1}`,
      value: `${what}: ${disk_kb === null ? `${batches ?? 'several'} batches` : `${shownKb(disk_kb)} on disk`}`,
    })),
    node.total_cost === null ? undefined : { name: 'Cost', value: shownNumber(node.total_cost) },
  ];
  return items.filter((one) => one !== undefined);
}

function AdviceText({ advice: { title, evidence, action, remedy } }: { advice: Advice }) {
  return (
    <div className={classes.advice}>
      <h3>{title}</h3>
      <p>{inertBlock(evidence)}</p>
      <p>{action}</p>
      {remedy === null ? null : (
        <CodeBlock code={remedy} label="Suggested SQL; review it before you run it" />
      )}
    </div>
  );
}

export function NodeDetail({ node, plan }: { node: PlanNode; plan: Plan }) {
  const texts = [...node.keys, ...node.conditions, ...node.details].filter(({ text }) => text !== '');
  return (
    <Panel title={`Node ${node.id}: ${inertBlock(nameOf(node))}`}>
      <div className={layout.stack}>
        <p>{node.meaning ?? 'Unknown node type. Its lines are shown below.'}</p>
        {node.advice.map((advice) => (
          <AdviceText key={advice.advice} advice={advice} />
        ))}
        <KeyValues items={[timeOf(node, plan), rowsOf(node), pagesOf(node), ...moreOf(node)]} />
        {texts.length === 0 ? null : (
          <CodeBlock
            code={texts.map(({ name, text }) => `${name}: ${text}`).join('\n')}
            label="Lines of this node in the plan"
          />
        )}
      </div>
    </Panel>
  );
}
