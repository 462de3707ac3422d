// The settings of a server: those that decide most, all of them, and how they were changed.
import { useOperation } from '../../../api/use-operation.ts';
import { humanSetting } from '../../../lib/setting-value.ts';
import { usePageTime } from '../../../lib/use-time-window.ts';
import type { Column } from '../../../ui/data-table.tsx';
import { ExplainButton } from '../../../ui/explain-button.tsx';
import layout from '../../../ui/layout.module.css';
import { Query } from '../../../ui/query.tsx';
import { Status } from '../../../ui/status.tsx';
import { TimeBar } from '../../../ui/time-bar.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import { TimelineList } from '../changes/timeline-list.tsx';
import { MissingReadings } from '../coverage/coverage-remedies.tsx';
import { LatestTable } from '../objects/latest-table.tsx';
import { flagOf, type Row, textOf } from '../objects/rows.ts';
import { KeySettings } from './key-settings.tsx';
import { aboutSetting } from './setting-about.ts';
import classes from './settings.module.css';

const PROBE = 'pg_settings';
const KINDS = ['settings'] as const;

const humanOf = (row: Row, column: string) =>
  humanSetting({
    name: textOf(row, 'name') ?? '',
    setting: typeof row[column] === 'string' ? row[column] : null,
    unit: textOf(row, 'unit') ?? undefined,
  });

/** An empty text is a value too. */
const shown = (value: string | null) =>
  value === null ? <Unknown /> : value === '' ? <span className={classes.raw}>empty</span> : value;

function Value({ row }: { row: Row }) {
  const [now, usual] = [humanOf(row, 'setting'), humanOf(row, 'boot_val')];
  const isOther = row.setting !== row.boot_val && row.boot_val !== null && row.boot_val !== undefined;
  return (
    <div className={classes.setting}>
      <span className={classes.value}>{shown(now)}</span>
      {isOther ? <span className={layout.small}>without any configuration: {shown(usual)}</span> : null}
      {flagOf(row, 'pending_restart') ? (
        <Status mark="warning" label="Waits for a restart" size={14} />
      ) : null}
    </div>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    key: 'name',
    title: 'Setting',
    value: (row) => textOf(row, 'name'),
    render: (row) => (
      <div className={classes.setting}>
        <span className={classes.named}>
          <code className={classes.name}>{textOf(row, 'name')}</code>
          <ExplainButton what={textOf(row, 'name') ?? 'setting'} question={() => aboutSetting(row)} />
        </span>
        <span className={layout.small}>{textOf(row, 'short_desc')}</span>
      </div>
    ),
  },
  { key: 'setting', title: 'Value', render: (row) => <Value row={row} /> },
  {
    key: 'source',
    title: 'Comes from',
    value: (row) => textOf(row, 'source'),
    needs: 'medium',
    render: (row) => textOf(row, 'source') ?? <Unknown />,
  },
  {
    key: 'context',
    title: 'Changed by',
    hint: 'What it takes to change it',
    value: (row) => textOf(row, 'context'),
    needs: 'wide',
    render: (row) => textOf(row, 'context') ?? <Unknown />,
  },
];

export function SettingsView({ id }: { id: number }) {
  const time = usePageTime('30d');
  const info = useOperation('getServerInfo', { params: { connection_id: id } }, { staleMs: 10_000 });
  return (
    <div className={classes.view}>
      <Query query={info} what="the key settings" lines={6}>
        {({ key_settings, sections_collected_at }) => (
          <KeySettings settings={key_settings} at={sections_collected_at?.key_settings} />
        )}
      </Query>
      <div>
        <TimeBar time={time} />
        <TimelineList time={time} id={id} kinds={KINDS} title="Changes of settings" />
      </div>
      <LatestTable
        id={id}
        probe={PROBE}
        title="All settings"
        words={['setting', 'settings']}
        columns={COLUMNS}
        first={{ key: 'source', descending: false }}
        rowKey={(row) => String(row.name)}
        because="Settings are read within the first minute; Coverage says when, and what prevents it."
      />
      <MissingReadings id={id} probes={[PROBE, 'pg_db_role_setting']} />
    </div>
  );
}
