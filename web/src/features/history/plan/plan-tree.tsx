// The tree of a plan, a row a node, with a bar of its own time. Guards: a plan of thousands of nodes is drawn in parts; the arrows move from
// row to row.
import { Button } from '@mantine/core';
import { type KeyboardEvent, useMemo, useState } from 'react';
import { inertBlock } from '../../../lib/inert-text.ts';
import { nameOf, nodesOf, type Plan, type PlanNode, shownMs, totalMs } from '../../../lib/plans.ts';
import classes from './plan.module.css';
import { marksOf, rowsText, shareOf } from './plan-words.ts';

const MOST_ROWS = 1000;
/** Beyond, rows move no further to the right. */
const DEEPEST = 24;

function depthsOf(nodes: readonly PlanNode[]): Map<number, number> {
  const depths = new Map<number, number>();
  for (const node of nodes) {
    const depth = depths.get(node.id) ?? 0;
    for (const child of node.children) depths.set(child.id, depth + 1);
  }
  return depths;
}

interface RowProps {
  node: PlanNode;
  plan: Plan;
  depth: number;
  isChosen: boolean;
  onChoose: (id: number) => void;
}

function Row({ node, plan, depth, isChosen, onChoose }: RowProps) {
  const share = shareOf(node, totalMs(plan));
  return (
    <li>
      <button
        type="button"
        className={classes.row}
        data-node={node.id}
        aria-current={isChosen ? 'true' : undefined}
        onClick={() => onChoose(node.id)}
      >
        <span className={classes.time}>
          <span className={classes.bar} aria-hidden="true">
            <span style={{ width: `${Math.round(share * 100)}%` }} />
          </span>
          {node.own_ms === null ? null : shownMs(node.own_ms)}
        </span>
        <span className={classes.name} style={{ paddingInlineStart: `${Math.min(depth, DEEPEST) * 0.9}em` }}>
          {node.subplan === null ? null : <span className={classes.quiet}>{inertBlock(node.subplan)}: </span>}
          {inertBlock(nameOf(node))}
          {marksOf(node, plan).map(({ text, tone }) => (
            <span key={text} className={classes.mark} data-tone={tone}>
              {text}
            </span>
          ))}
        </span>
        <span className={classes.rows}>{rowsText(node)}</span>
      </button>
    </li>
  );
}

function moveByArrows(event: KeyboardEvent<HTMLOListElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const rows = [...event.currentTarget.querySelectorAll('button')];
  const focused = document.activeElement;
  const at = focused instanceof HTMLButtonElement ? rows.indexOf(focused) : -1;
  event.preventDefault();
  rows[at + step]?.focus();
}

export interface PlanTreeProps {
  plan: Plan;
  chosen: number;
  onChoose: (id: number) => void;
}

export function PlanTree({ plan, chosen, onChoose }: PlanTreeProps) {
  const [most, setMost] = useState(MOST_ROWS);
  const nodes = useMemo(() => nodesOf(plan.plan), [plan]);
  const depths = useMemo(() => depthsOf(nodes), [nodes]);
  return (
    <>
      <ol className={classes.tree} onKeyDown={moveByArrows}>
        {nodes.slice(0, most).map((node) => (
          <Row
            key={node.id}
            node={node}
            plan={plan}
            depth={depths.get(node.id) ?? 0}
            isChosen={node.id === chosen}
            onChoose={onChoose}
          />
        ))}
      </ol>
      {nodes.length > most ? (
        <Button variant="default" size="xs" m="sm" onClick={() => setMost(most + MOST_ROWS)}>
          Show more of {nodes.length} nodes
        </Button>
      ) : null}
    </>
  );
}
