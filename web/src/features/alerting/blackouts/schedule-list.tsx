// Schedules in words, with when each begins next.
import { useState } from 'react';
import { zoneName } from '../../../lib/zone.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { BlackoutIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { RowButton } from '../../../ui/row-button.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { dayAndHour, ESTATE, type Schedule, targetWords } from './blackout-words.ts';
import classes from './blackouts.module.css';
import { DeleteScheduleDialog, ScheduleDialog } from './schedule-dialogs.tsx';
import { useSchedules } from './use-blackouts.ts';

type Open = { kind: 'change' | 'delete'; schedule: Schedule };

function NextStart({ schedule: { enabled, next_start } }: { schedule: Schedule }) {
  if (!enabled) return <span className={classes.remark}>disabled</span>;
  if (!next_start) return <span className={classes.remark}>no further date</span>;
  return <time dateTime={next_start}>{dayAndHour(Date.parse(next_start), zoneName('local'))}</time>;
}

function columnsOf(open: ((dialog: Open) => void) | undefined): Column<Schedule>[] {
  return [
    {
      key: 'name',
      title: 'Schedule',
      width: 'grow',
      render: (row) => (
        <div className={classes.named}>
          <span className={classes.name}>
            <Name>{row.name}</Name>
          </span>
          <div>{row.in_words ?? row.cron_expression}</div>
          <div className={classes.remark}>
            <Name>{targetWords(row)}</Name>
            {row.reason === '' ? null : (
              <>
                : <Name>{row.reason}</Name>
              </>
            )}
          </div>
          <div className={`${classes.remark} ${layout.narrow}`}>
            Next: <NextStart schedule={row} />
          </div>
        </div>
      ),
    },
    {
      key: 'next',
      title: `Next (${zoneName('local')})`,
      needs: 'medium',
      render: (row) => <NextStart schedule={row} />,
    },
    ...(open
      ? [
          {
            key: 'actions',
            title: 'Actions',
            align: 'end' as const,
            width: 'actions' as const,
            render: (row: Schedule) => (
              <span className={classes.buttons}>
                <RowButton
                  verb="Change"
                  of={row.name}
                  onClick={() => open({ kind: 'change', schedule: row })}
                />
                <RowButton
                  verb="Delete"
                  of={row.name}
                  onClick={() => open({ kind: 'delete', schedule: row })}
                />
              </span>
            ),
          },
        ]
      : []),
  ];
}

export function ScheduleList({ mayManage }: { mayManage: boolean }) {
  const schedules = useSchedules();
  const [dialog, setDialog] = useState<Open>();
  const close = () => setDialog(undefined);
  const changed = dialog?.kind === 'change' ? dialog.schedule : undefined;
  return (
    <>
      <Panel title="Schedules" flush>
        <Query query={schedules} what="schedules" lines={3} padded>
          {(data) =>
            data.schedules.length === 0 ? (
              <EmptyState icon={<BlackoutIcon size={26} />} title="No schedule yet">
                A schedule repeats a silence, by the clock of its time zone.
              </EmptyState>
            ) : (
              <DataTable
                caption="All schedules"
                columns={columnsOf(mayManage ? setDialog : undefined)}
                rows={data.schedules}
                rowKey={(row) => String(row.id)}
              />
            )
          }
        </Query>
      </Panel>
      <ScheduleDialog opened={changed !== undefined} schedule={changed} target={ESTATE} onClose={close} />
      <DeleteScheduleDialog
        schedule={dialog?.kind === 'delete' ? dialog.schedule : undefined}
        onClose={close}
      />
    </>
  );
}
