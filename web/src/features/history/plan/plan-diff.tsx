// Two plans beside each other, a row for each node that they share or not.
import { inertBlock } from '../../../lib/inert-text.ts';
import { type DiffRow, type DiffSide, diffOf, type Plan, shownMs, shownNumber } from '../../../lib/plans.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import classes from './plan.module.css';

const WORDS = { same: 'Same', changed: 'Changed', added: 'Added', removed: 'Removed' } as const;

function figure(side: DiffSide | null) {
  if (side === null) return '';
  if (side.own_ms !== null) return shownMs(side.own_ms);
  return side.total_cost === null ? <Unknown /> : `cost ${shownNumber(side.total_cost)}`;
}

function nameOfRow({ change, before, after }: DiffRow): string {
  const [was, is] = [before?.name ?? '', after?.name ?? ''];
  return inertBlock(change === 'changed' ? `${was} → ${is}` : is || was);
}

/** In one column: a narrow window has no room for a second one beside the times. */
const nameCell = (row: DiffRow) => (
  <div className={classes.changed}>
    <span className={classes.quiet}>{WORDS[row.change]}</span>
    <span>{nameOfRow(row)}</span>
  </div>
);

const COLUMNS: Column<DiffRow>[] = [
  { key: 'node', title: 'Node', render: nameCell },
  {
    key: 'before',
    title: 'First',
    hint: 'Own time in the first plan',
    render: ({ before }) => figure(before),
    align: 'end',
  },
  {
    key: 'after',
    title: 'Second',
    hint: 'Own time in the second plan',
    render: ({ after }) => figure(after),
    align: 'end',
  },
];

const rowKey = ({ before, after }: DiffRow) => `${before?.node ?? ''}-${after?.node ?? ''}`;

export interface DiffTableProps {
  title: string;
  diff: { verdict: string; rows: readonly DiffRow[] };
}

export function DiffTable({ title, diff }: DiffTableProps) {
  return (
    <Panel title={title} note={diff.verdict} flush>
      <DataTable caption="Nodes of both plans" columns={COLUMNS} rows={diff.rows} rowKey={rowKey} />
    </Panel>
  );
}

export function PlanDiff({ before, after }: { before: Plan; after: Plan }) {
  return <DiffTable title="Compared with the second plan" diff={diffOf(before, after)} />;
}
