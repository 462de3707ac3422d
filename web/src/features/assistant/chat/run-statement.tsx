// Runs a statement of an answer, which its server has planned before: to read only. What may write is never confirmed here.
import { Button } from '@mantine/core';
import type { Result } from '../../../api/client.ts';
import { useOperationMutation } from '../../../api/use-operation.ts';
import { countOf } from '../../../lib/format.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { FormError } from '../../../ui/form-error.tsx';
import layout from '../../../ui/layout.module.css';
import { Notice } from '../../../ui/notice.tsx';
import classes from './chat.module.css';

type Reply = Result<'runConnectionQuery'>;
type Outcome = NonNullable<Reply['results']>[number];
interface Row {
  key: string;
  cells: readonly (string | null)[];
}

const SHOWN = 20;

const columnsOf = (names: readonly string[]): readonly Column<Row>[] =>
  names.map((title, index) => ({
    key: `${index}`,
    title,
    render: ({ cells }) => cells[index] ?? <span className={layout.remark}>null</span>,
  }));

const countsOf = ({ row_count, truncated, rows }: Outcome): string => {
  const count = `${countOf(row_count, 'row')}${truncated ? ', and more that were cut off' : ''}`;
  return rows.length > SHOWN ? `The first ${SHOWN} of ${count}` : count;
};

function OneOutcome({ outcome }: { outcome: Outcome }) {
  if (outcome.error)
    return (
      <Notice tone="bad" role="alert">
        {outcome.error}
      </Notice>
    );
  const rows = outcome.rows.slice(0, SHOWN).map((cells, index) => ({ key: `${index}`, cells }));
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <div className={classes.rows} tabIndex={0}>
        <DataTable
          caption="Rows of the statement"
          columns={columnsOf(outcome.columns)}
          rows={rows}
          rowKey={({ key }) => key}
        />
      </div>
      <p className={layout.remark}>{countsOf(outcome)}</p>
    </>
  );
}

export function RunStatement({ sql, connectionId }: { sql: string; connectionId: number }) {
  const run = useOperationMutation('runConnectionQuery');
  const { data, error, isPending } = run;
  return (
    <div className={classes.statement}>
      <div>
        <Button
          variant="default"
          size="compact-sm"
          loading={isPending}
          onClick={() => run.mutate({ params: { id: connectionId }, body: { query: sql, confirmed: false } })}
        >
          Run
        </Button>
      </div>
      <FormError error={error} />
      {data?.requires_confirmation ? (
        <Notice tone="warn" role="alert">
          It may change something, so it was not run. The chat only reads.
        </Notice>
      ) : null}
      {(data?.results ?? []).map((outcome, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: results come in the order of the statements
        <OneOutcome key={index} outcome={outcome} />
      ))}
    </div>
  );
}
