// What runs out on the servers, and when: the soonest first, with the days it was found from. Guards: what has no date says why.
import { NativeSelect } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { Link } from 'react-router';
import { useOperation } from '../../api/use-operation.ts';
import { currentSecond, subscribeToSeconds } from '../../lib/clock.ts';
import { useUrlTexts } from '../../lib/url-state.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { OkIcon } from '../../ui/icons.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Query } from '../../ui/query.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Unknown } from '../../ui/unknown.tsx';
import { ScopeChoice } from '../clusters/scope-choice.tsx';
import { useScope } from '../clusters/use-scope.ts';
import classes from './runway.module.css';
import { RunwayLine } from './runway-line.tsx';
import {
  aheadText,
  amountText,
  bandText,
  dateText,
  KIND_WORDS,
  type RunwayItem,
  type RunwayKind,
  STATE_WORDS,
} from './runway-words.ts';

/** Days do not move in less. */
const EVERY_MS = 600_000;
const MOST = 500;

const isKind = (text: string): text is RunwayKind => Object.hasOwn(KIND_WORDS, text);
const isState = (text: string): text is RunwayItem['state'] => Object.hasOwn(STATE_WORDS, text);

function useFilters() {
  const [text, set] = useUrlTexts(['kind', 'state']);
  const [kind, state] = [text('kind'), text('state')];
  const filters = {
    kind: isKind(kind) ? kind : undefined,
    state: isState(state) ? state : undefined,
  };
  return [filters, set] as const;
}

const choices = (words: Readonly<Record<string, string>>, all: string) => [
  { value: '', label: all },
  ...Object.entries(words).map(([value, label]) => ({ value, label })),
];

function Filters() {
  const [{ kind = '', state = '' }, set] = useFilters();
  return (
    <search className={classes.filters} aria-label="Filters">
      <ScopeChoice />
      <NativeSelect
        label="What"
        data={choices(KIND_WORDS, 'Everything')}
        value={kind}
        onChange={(event) => set({ kind: event.target.value })}
      />
      <NativeSelect
        label="State"
        data={choices(STATE_WORDS, 'Every state')}
        value={state}
        onChange={(event) => set({ state: event.target.value })}
      />
    </search>
  );
}

function What({ item }: { item: RunwayItem }) {
  const name = [item.database_name, item.object_name].filter((one) => one !== null).join(' ');
  return (
    <span className={classes.what}>
      <Link className="link" data-row-link to={`/servers/${item.connection_id}`}>
        {item.server_name}
      </Link>
      <span className={classes.more}>
        {KIND_WORDS[item.kind]}
        {name === '' ? '' : `: ${name}`}
      </span>
    </span>
  );
}

function When({ item, nowSeconds }: { item: RunwayItem; nowSeconds: number }) {
  const { state, runs_out_at, reason } = item;
  const more = bandText(item) ?? reason;
  return (
    <span className={classes.date}>
      {state === 'runs_out' && runs_out_at !== null
        ? `${dateText(runs_out_at)}, ${aheadText(runs_out_at, nowSeconds)}`
        : STATE_WORDS[state]}
      {more === null ? null : <span className={classes.more}>{more}</span>}
    </span>
  );
}

function Used({ item: { used, limit, limited_by, unit } }: { item: RunwayItem }) {
  if (used === null) return <Unknown because="Not collected in the last day" />;
  const of = limit === null ? '' : ` of ${amountText(limit, unit)}`;
  return <span title={limited_by ?? undefined}>{`${amountText(used, unit)}${of}`}</span>;
}

const columnsAt = (nowSeconds: number): Column<RunwayItem>[] => [
  { key: 'what', title: 'What', render: (item) => <What item={item} />, width: 'half' },
  {
    key: 'when',
    title: 'Runs out',
    render: (item) => <When item={item} nowSeconds={nowSeconds} />,
    width: 'half',
  },
  { key: 'used', title: 'Used', render: (item) => <Used item={item} />, align: 'end', needs: 'medium' },
  {
    key: 'per_day',
    title: 'A day',
    hint: 'By how much it grows in a day',
    render: ({ per_day, unit }) =>
      per_day === null ? <Unknown because="No trend was found" /> : amountText(per_day, unit),
    align: 'end',
    needs: 'wide',
  },
  {
    key: 'days',
    title: '30 days, and the next 30',
    render: (item) => <RunwayLine item={item} nowSeconds={nowSeconds} />,
    needs: 'medium',
  },
];

const rowKey = (item: RunwayItem) =>
  JSON.stringify([item.connection_id, item.kind, item.database_name, item.object_name]);

/** Servers that were added a moment ago. */
const waitingWords = (waiting: number) =>
  waiting === 0 ? '' : `; ${waiting} ${waiting === 1 ? 'server waits' : 'servers wait'} to be looked at`;

export function RunwayPage() {
  const [filters] = useFilters();
  const [scope] = useScope();
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  const found = useOperation(
    'listRunway',
    { query: { ...scope.query, ...Object.fromEntries(given), limit: MOST } },
    { everyMs: EVERY_MS, keepPrevious: true, enabled: scope.query !== undefined },
  );
  const nowSeconds = useSyncExternalStore(subscribeToSeconds, currentSecond);
  const counts = found.data?.counts;
  return (
    <>
      <PageHeader
        title="Runway"
        facts={
          counts
            ? `${counts.runs_out} with a date, ${counts.unknown} unknown, ${counts.not_growing} not growing${waitingWords(found.data?.waiting ?? 0)}`
            : '\u00a0'
        }
      />
      <div className={classes.stack}>
        <Filters />
        <Panel
          title="What runs out, the soonest first"
          flush
          note={
            found.data && found.data.total > found.data.items.length
              ? `The first ${found.data.items.length} of ${found.data.total}`
              : undefined
          }
        >
          <Query query={found} what="the runway" lines={6} padded>
            {({ items }) =>
              items.length === 0 ? (
                <EmptyState icon={<OkIcon size={26} />} title="Nothing of this kind">
                  What can run out on a server is listed here once it is monitored.
                </EmptyState>
              ) : (
                <DataTable
                  caption="What runs out, the soonest first"
                  columns={columnsAt(nowSeconds)}
                  rows={items}
                  rowKey={rowKey}
                />
              )
            }
          </Query>
        </Panel>
      </div>
    </>
  );
}
