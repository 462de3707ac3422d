// Who and what the events of a log name most, beside the counts by class; a name narrows the events to its own.
import { formatCount } from '../../../lib/format.ts';
import { useUrlTexts } from '../../../lib/url-state.ts';
import { momentText } from '../../../lib/zone.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import layout from '../../../ui/layout.module.css';
import { Panel } from '../../../ui/panel.tsx';
import classes from './logs.module.css';
import type { LogCounts } from './logs-words.ts';

type Names = NonNullable<LogCounts['names']>;
type Name = Names['users'][number];

const OTHERS = '(others)';

const columnsOf = (title: string, onName: (name: string) => void): readonly Column<Name>[] => [
  {
    key: 'name',
    title,
    width: 'grow',
    render: ({ name }) =>
      name === OTHERS ? (
        name
      ) : (
        <button type="button" className={classes.class} onClick={() => onName(name)}>
          {name}
        </button>
      ),
  },
  { key: 'events', title: 'Events', align: 'end', render: ({ events }) => formatCount(events) },
  { key: 'errors', title: 'Errors', align: 'end', render: ({ errors }) => formatCount(errors) },
];

export function LogNames({ names, zone }: { names: LogCounts['names']; zone: string }) {
  const [, set] = useUrlTexts(['user', 'application']);
  if (names === null || names.users.length + names.applications.length === 0) return null;
  const { users, applications, start_time, end_time } = names;
  const at = (time: string) => momentText(Date.parse(time), zone);
  return (
    <Panel
      title="Users and applications"
      note={`the most frequent, from ${at(start_time)} to ${at(end_time)}`}
    >
      <div className={layout.pair}>
        {users.length === 0 ? null : (
          <DataTable
            caption="Users by events of the log"
            columns={columnsOf('User', (user) => set({ user }))}
            rows={users}
            rowKey={({ name }) => name}
          />
        )}
        {applications.length === 0 ? null : (
          <DataTable
            caption="Applications by events of the log"
            columns={columnsOf('Application', (application) => set({ application }))}
            rows={applications}
            rowKey={({ name }) => name}
          />
        )}
      </div>
    </Panel>
  );
}
