// What can run out on the servers as bars of what is used, the fullest first, with the date where there is one. Guards: what has no date
// says why, and once for all that are known for too short a time.
import { NativeSelect } from '@mantine/core';
import { useMemo, useSyncExternalStore } from 'react';
import { Link } from 'react-router';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { currentSecond, subscribeToSeconds } from '../../../lib/clock.ts';
import { countOf, formatShare } from '../../../lib/format.ts';
import { parseSort, type Sort, type SortValue, sortText } from '../../../lib/sort.ts';
import { useUrlText, useUrlTexts } from '../../../lib/url-state.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { typed } from '../../../ui/field.ts';
import { Filters } from '../../../ui/filters.tsx';
import { OkIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Meter } from '../../../ui/meter.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import { ScopeChoice } from '../../estate/clusters/scope-choice.tsx';
import { useScope } from '../../estate/clusters/use-scope.ts';
import { NotCollected } from './not-collected.tsx';
import classes from './runway.module.css';
import { RunwayLine } from './runway-line.tsx';
import {
  aheadText,
  amountText,
  bandText,
  dateText,
  KIND_WORDS,
  needsDays,
  needsDaysWords,
  notGrowingWords,
  type RunwayItem,
  type RunwayKind,
  STATE_WORDS,
  usedPercent,
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

function RunwayFilters() {
  const [{ kind = '', state = '' }, set] = useFilters();
  return (
    <Filters names={['server', 'cluster', 'kind', 'state']}>
      <ScopeChoice />
      <NativeSelect
        label="What"
        data={choices(KIND_WORDS, 'Everything')}
        {...typed(kind, (kind) => set({ kind }))}
      />
      <NativeSelect
        label="State"
        data={choices(STATE_WORDS, 'Every state')}
        {...typed(state, (state) => set({ state }))}
      />
    </Filters>
  );
}

const rowKey = (item: RunwayItem) =>
  JSON.stringify([item.connection_id, item.kind, item.database_name, item.object_name]);

function What({ item, nowSeconds }: { item: RunwayItem; nowSeconds: number }) {
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
      <span className={classes.narrow}>
        <When item={item} nowSeconds={nowSeconds} />
      </span>
    </span>
  );
}

function When({ item, nowSeconds }: { item: RunwayItem; nowSeconds: number }) {
  const { state, runs_out_at, reason } = item;
  if (needsDays(item)) return <Unknown because={reason ?? 'It needs more days'} />;
  const more = bandText(item) ?? (state === 'not_growing' ? null : reason);
  return (
    <span className={classes.date} title={reason ?? undefined}>
      {state === 'runs_out' && runs_out_at !== null
        ? `${dateText(runs_out_at)}, ${aheadText(runs_out_at, nowSeconds)}`
        : STATE_WORDS[state]}
      {more === null ? null : <span className={classes.more}>{more}</span>}
    </span>
  );
}

const [NEARLY, FULL] = [80, 95];
const toneOf = (percent: number) => (percent >= FULL ? 'bad' : percent >= NEARLY ? 'warn' : 'plain');

function Used({ item }: { item: RunwayItem }) {
  const { used, limit, limited_by, unit } = item;
  if (used === null) return <Unknown because="Not collected in the last day" />;
  const percent = usedPercent(item);
  const amount = `${amountText(used, unit)}${limit === null ? '' : ` of ${amountText(limit, unit)}`}`;
  if (percent === null)
    return (
      <span className={classes.used} title={limited_by ?? undefined}>
        <span className={classes.percent}>{amount}</span>
      </span>
    );
  return (
    <span className={classes.used} title={limited_by ?? undefined}>
      <span className={classes.percent}>{formatShare(percent)}</span>
      <span className={classes.bar}>
        <Meter percent={Math.min(percent, 100)} tone={toneOf(percent)} />
      </span>
      {unit === 'percent' ? null : <span className={classes.more}>{amount}</span>}
    </span>
  );
}

const columnsAt = (nowSeconds: number): Column<RunwayItem>[] => [
  {
    key: 'what',
    title: 'What',
    value: ({ server_name }) => server_name,
    render: (item) => <What item={item} nowSeconds={nowSeconds} />,
    width: 'half',
  },
  {
    key: 'used',
    title: 'Used',
    hint: 'Percent of the limit, the fullest first',
    width: 'middle',
    value: usedPercent,
    descendingFirst: true,
    render: (item) => <Used item={item} />,
  },
  {
    key: 'when',
    title: 'Runs out',
    value: ({ runs_out_at }) => (runs_out_at === null ? null : Date.parse(runs_out_at)),
    render: (item) => <When item={item} nowSeconds={nowSeconds} />,
    needs: 'medium',
    width: 'half',
  },
  {
    key: 'per_day',
    title: 'Per day',
    hint: 'By how much it grows in a day',
    render: ({ per_day, unit }) =>
      per_day === null ? <Unknown because="No trend was found" /> : amountText(per_day, unit),
    align: 'end',
    needs: 'wide',
  },
  {
    key: 'days',
    title: 'Past and next 30 days',
    render: (item) => <RunwayLine item={item} nowSeconds={nowSeconds} />,
    needs: 'wide',
  },
];

const SORT_KEYS = columnsAt(0).flatMap(({ key, value }) => (value ? [key] : []));
const FULLEST_FIRST: Sort = { key: 'used', descending: true };
/** What ends first, and a name, so that rows that are equally full keep their places. */
const TIES: readonly ((item: RunwayItem) => SortValue)[] = [
  ({ runs_out_at }) => (runs_out_at === null ? null : Date.parse(runs_out_at)),
  ({ server_name }) => server_name,
  rowKey,
];

function Items({ items }: { items: readonly RunwayItem[] }) {
  const nowSeconds = useSyncExternalStore(subscribeToSeconds, currentSecond);
  const [sort, setSort] = useUrlText('sort');
  const sentences = [needsDaysWords(items), ...notGrowingWords(items)];
  const known = useMemo(() => items.filter(({ used }) => used !== null), [items]);
  const columns = useMemo(() => columnsAt(nowSeconds), [nowSeconds]);
  return (
    <div className={classes.table}>
      {known.length === 0 ? null : (
        <DataTable
          caption="What runs out, the fullest first"
          columns={columns}
          rows={known}
          rowKey={rowKey}
          sort={parseSort(sort, SORT_KEYS, FULLEST_FIRST)}
          onSort={(next) => {
            const text = sortText(next);
            setSort(text === sortText(FULLEST_FIRST) ? '' : text);
          }}
          ties={TIES}
        />
      )}
      {sentences.map((one) =>
        one === undefined ? null : (
          <p key={one} className={classes.sentence}>
            {one}
          </p>
        ),
      )}
      <NotCollected items={items} />
    </div>
  );
}

/** How many have a date, and which servers were added a moment ago. */
function countWords({ counts, waiting }: OperationTypes['listRunway']['result']): string {
  const words = [
    counts.runs_out > 0 ? `${counts.runs_out} with a date` : 'Nothing is forecast to run out',
    counts.unknown > 0 && `${counts.unknown} not forecast yet`,
    counts.not_growing > 0 && `${counts.not_growing} not growing`,
    waiting > 0 && `${countOf(waiting, 'server')} not checked yet`,
  ];
  return words.filter(Boolean).join(', ');
}

export function RunwayPage() {
  const [filters] = useFilters();
  const [scope] = useScope();
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  const found = useOperation(
    'listRunway',
    { query: { ...scope.query, ...Object.fromEntries(given), limit: MOST } },
    { everyMs: EVERY_MS, keepPrevious: true, enabled: scope.query !== undefined },
  );
  return (
    <>
      <PageHeader title="Runway" facts={found.data ? countWords(found.data) : '\u00a0'} />
      <div className={layout.stack}>
        <RunwayFilters />
        <Panel
          title="What runs out, the fullest first"
          flush
          isPlain
          note={
            found.data && found.data.total > found.data.items.length
              ? `${found.data.items.length} of ${found.data.total}: those that run out soonest`
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
                <Items items={items} />
              )
            }
          </Query>
        </Panel>
      </div>
    </>
  );
}
