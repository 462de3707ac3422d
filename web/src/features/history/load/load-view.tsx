// What a server's sessions did over a window of time: the load, split as the reader wants it, and each member by itself.
import { NativeSelect } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { Link, useSearchParams } from 'react-router';
import { formatShare } from '../../../lib/format.ts';
import { timeOf } from '../../../lib/time-window.ts';
import { useUrlChoice } from '../../../lib/url-state.ts';
import { momentText } from '../../../lib/zone.ts';
import { Swatch } from '../../../ui/charts/legend.tsx';
import { type Picks, usePicks } from '../../../ui/charts/use-picks.ts';
import { formatValue } from '../../../ui/charts/values.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import layout from '../../../ui/layout.module.css';
import { Meter } from '../../../ui/meter.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import { ServerHistory, type Shown } from '../activity/server-history.tsx';
import { useCoverage } from '../coverage/use-coverage.ts';
import classes from './load.module.css';
import { LoadChart, useLoad } from './load-chart.tsx';
import { breakdownOf, type Load, memberNames, SPLITS, type Split } from './load-words.ts';

const KEYS = SPLITS.map(({ key }) => key);
type Row = ReturnType<typeof breakdownOf>[number];

/** Shows its area alone in the chart. */
function Pick({ row: { name, look }, picks, children }: { row: Row; picks: Picks; children?: ReactNode }) {
  return (
    <button
      type="button"
      className={classes.pick}
      aria-pressed={picks.only.includes(name)}
      aria-label={`${name}: show alone in the chart`}
      onClick={(event) => picks.onOnly(name, event.shiftKey)}
    >
      <Swatch line={{ name, values: [], lower: [], look }} index={look} />
      {children}
    </button>
  );
}

function Name({ row, picks }: { row: Row; picks: Picks }) {
  const { name, member } = row;
  const { query_text, name: queryid } = member;
  if (!query_text)
    return (
      <Pick row={row} picks={picks}>
        <span className={classes.member}>{name}</span>
      </Pick>
    );
  return (
    <div className={classes.named}>
      <Pick row={row} picks={picks} />
      <details className={classes.member}>
        <summary>
          <code>{name}</code>
        </summary>
        <CodeBlock code={query_text} label={`Statement ${queryid} in ${member.database}`} />
      </details>
    </div>
  );
}

const figure = (value: number | null | undefined) =>
  formatValue(value, '') ?? <Unknown because="Not sampled" />;

function columnsOf({ compared }: Load, title: string, picks: Picks): readonly Column<Row>[] {
  const before: Column<Row> = {
    key: 'before',
    title: 'Before',
    hint: 'Average active sessions in the time that it is compared with',
    align: 'end',
    render: ({ member }) => figure(member.compared_mean),
  };
  return [
    { key: 'name', title, width: 'grow', render: (row) => <Name row={row} picks={picks} /> },
    {
      key: 'mean',
      title: 'Sessions',
      hint: 'Average active sessions over this time',
      align: 'end',
      render: ({ member }) => figure(member.mean),
    },
    ...(compared ? [before] : []),
    {
      key: 'share',
      title: 'Share',
      width: 'small',
      render: ({ share }) =>
        share === null ? (
          <Unknown because="Not sampled" />
        ) : (
          <div className={classes.share}>
            <span>{formatShare(share)}</span>
            <Meter percent={share} />
          </div>
        ),
    },
  ];
}

function Members({ load, picks }: { load: Load; picks: Picks }) {
  const rows = breakdownOf(load);
  const title = SPLITS.find(({ key }) => key === load.split_by)?.label ?? '';
  if (rows.length === 0)
    return (
      <p className={classes.nothing}>{load.members_reason ?? 'No session was seen at work in this time.'}</p>
    );
  return (
    <DataTable
      caption="Members of the load"
      columns={columnsOf(load, title, picks)}
      rows={rows}
      rowKey={({ name }) => name}
    />
  );
}

function SplitChoice({ split, onSplit }: { split: Split; onSplit: (split: Split) => void }) {
  return (
    <NativeSelect
      aria-label="Split by"
      data={SPLITS.map(({ key, label }) => ({ value: key, label }))}
      value={split}
      onChange={(event) => onSplit(KEYS.find((key) => key === event.target.value) ?? 'wait_class')}
    />
  );
}

/** Sessions that hide what they do are counted, and belong to no statement. */
function Hidden({ id }: { id: number }) {
  const entries = useCoverage(id, { isCounted: true }).data?.probes ?? [];
  const lacking = entries
    .filter(({ probe }) => probe === 'pg_stat_activity')
    .flatMap((entry) => entry.lacking ?? []);
  if (lacking.length === 0) return null;
  return (
    <p className={classes.remark}>
      {lacking.map(({ reason }) => reason).join(' ')}{' '}
      <Link className="link" to="?tab=coverage&find=pg_stat_activity">
        pg_stat_activity in Coverage
      </Link>
    </p>
  );
}

/** The way to what the sessions did at the moment that is chosen. */
function MomentLinks({ time, zone }: Pick<Shown, 'time' | 'zone'>) {
  const [search] = useSearchParams();
  const { moment } = time;
  const addressOf = (tab: string) => {
    const next = timeOf(search);
    next.set('tab', tab);
    return `?${next}`;
  };
  return (
    <p className={classes.remark}>
      {moment === undefined ? 'Now: ' : `At ${momentText(moment, zone)}: `}
      <Link className="link" to={addressOf('sessions')}>
        sessions
      </Link>
      ,{' '}
      <Link className="link" to={addressOf('locks')}>
        locks
      </Link>
      . A click on the chart chooses another moment.
    </p>
  );
}

function Parts({ id, time, zone }: { id: number } & Pick<Shown, 'time' | 'zone'>) {
  const [split, setSplit] = useUrlChoice('split', KEYS, 'wait_class');
  const query = useLoad({ id, split, isLive: time.isLive, compare: time.state.compare });
  const names = useMemo(() => (query.data ? memberNames(query.data) : []), [query.data]);
  const picks = usePicks(names);
  return (
    <div className={layout.stack}>
      <Panel
        title="Load"
        note="average active sessions"
        actions={<SplitChoice split={split} onSplit={setSplit} />}
      >
        <LoadChart query={query} picks={picks} />
        <Hidden id={id} />
        <MomentLinks time={time} zone={zone} />
      </Panel>
      <Panel title="Breakdown" note="largest share first; a click shows one alone in the chart" flush>
        <Query query={query} what="the members of the load" lines={6} padded>
          {(load) => <Members load={load} picks={picks} />}
        </Query>
      </Panel>
    </div>
  );
}

export function LoadView({ id }: { id: number }) {
  return (
    <ServerHistory id={id} withMoments canCompare>
      {({ time, zone }) => <Parts id={id} time={time} zone={zone} />}
    </ServerHistory>
  );
}
