// The load of a server in words: by what it is split, who its members are, and from what it was read. Pure. Guards: an answer
// for another window stands where it belongs on the grid of this one.

import type { OperationTypes } from '../../../api/operations.gen.ts';
import { countOf } from '../../../lib/format.ts';
import { cutText } from '../../../lib/inert-text.ts';
import { everyText } from '../../../lib/time.ts';
import { type ChartSeries, type Grid, type Level, ofGrid } from '../../../ui/charts/series.ts';

export type Load = OperationTypes['getConnectionLoad']['result'];
export type LoadMember = Load['members'][number];
export type Split = Load['split_by'];

/** In the order of the list, each with what its members are and how one without a name is called. */
export const SPLITS: readonly { key: Split; label: string; none: string }[] = [
  { key: 'wait_class', label: 'Wait class', none: 'No class' },
  { key: 'wait_event', label: 'Wait event', none: 'No event' },
  { key: 'statement', label: 'Statement', none: 'Statements without an id' },
  { key: 'user', label: 'Role', none: 'Processes of the server' },
  { key: 'application', label: 'Application', none: 'Clients without a name' },
  { key: 'client', label: 'Client', none: 'Clients over a socket, and processes of the server' },
  { key: 'database', label: 'Database', none: 'Processes of the whole server' },
];

const CLASSES: Readonly<Record<string, string>> = {
  CPU: 'On the processor, or ready for it.',
  IO: 'Waits for the disk or the system to read or write.',
  Lock: 'Waits for a lock that another session holds.',
  LWLock: 'Waits for an internal lock on a structure in shared memory.',
  BufferPin: 'Waits for a page that others hold in place.',
  Buffer: 'Waits for a page that others hold in place or change.',
  Client: 'Waits for its client to read or send.',
  IPC: 'Waits for another process of the server.',
  Timeout: 'Waits for a time to pass, as pg_sleep does.',
  Extension: 'Waits for what an extension decides.',
  Activity: 'Waits for work.',
};

/**
 * A class has one colour and one place in the stack, CPU at the bottom, whichever others are there; those that are seen
 * most differ most.
 */
const LOOKS = ['CPU', 'IO', 'Lock', 'LWLock', 'Client', 'IPC', 'BufferPin', 'Timeout', 'Extension', 'Buffer'];

/** Classes that are not known here, as those of newer versions, come after all others, and never look like one of them. */
function lookOfClass(name: string | null, { members }: Load): Pick<ChartSeries, 'description' | 'look'> {
  const unknown = members.flatMap((one) => (LOOKS.includes(one.name ?? '') ? [] : (one.name ?? ''))).sort();
  const known = LOOKS.indexOf(name ?? '');
  return {
    description: CLASSES[name ?? ''],
    look: known === -1 ? LOOKS.length + unknown.indexOf(name ?? '') : known,
  };
}

const SHORT = 60;
const shortText = (text: string) => {
  const one = text.replaceAll(/\s+/g, ' ').trim();
  return one.length > SHORT ? `${cutText(one, SHORT)}…` : one;
};

function memberName({ name, is_rest, query_text }: LoadMember, split: Split): string {
  if (is_rest) return 'All others';
  if (name === null) return SPLITS.find(({ key }) => key === split)?.none ?? 'Unknown';
  return query_text ? shortText(query_text) : name;
}

/** Each name once: statements of the same text have their id with it. */
export function memberNames({ members, split_by }: Load): string[] {
  const names = members.map((member) => memberName(member, split_by));
  return names.map((name, index) => {
    const isAlone = names.indexOf(name) === names.lastIndexOf(name);
    return isAlone ? name : `${name} (${members[index]?.name ?? ''} in ${members[index]?.database ?? '?'})`;
  });
}

/** The whole of the window that it is compared with, as a line. */
function comparedOf({ total: { compared }, ...load }: Load, grid: Grid): ChartSeries[] {
  if (compared === undefined || compared.every((value) => value === null)) return [];
  const values = ofGrid(compared, load, grid);
  return [
    {
      name: 'Before',
      values,
      isLine: true,
      description: 'All sessions in the time that it is compared with.',
    },
  ];
}

export function seriesOf(load: Load, grid: Grid): ChartSeries[] {
  return [...membersOf(load, grid), ...comparedOf(load, grid)];
}

/** Each member with its name, its look in the chart and its share, the largest share first. */
export function breakdownOf(load: Load) {
  const names = memberNames(load);
  const total = load.total.mean ?? 0;
  const rows = load.members.map((member, index) => ({
    name: names[index] ?? '',
    member,
    look: (load.split_by === 'wait_class' ? lookOfClass(member.name, load).look : undefined) ?? index,
    share: member.mean === null || total === 0 ? null : (100 * member.mean) / total,
  }));
  return rows.sort((a, b) => (b.share ?? -1) - (a.share ?? -1));
}

function membersOf(load: Load, grid: Grid): ChartSeries[] {
  const names = memberNames(load);
  const series = load.members.map(
    (member, index): ChartSeries => ({
      name: names[index] ?? '',
      values: ofGrid(member.values, load, grid),
      ...(load.split_by === 'wait_class' && lookOfClass(member.name, load)),
    }),
  );
  const place = ({ look = LOOKS.length }: ChartSeries) => look;
  if (series.length > 0)
    return load.split_by === 'wait_class' ? series.toSorted((a, b) => place(a) - place(b)) : series;
  const all = ofGrid(load.total.values, load, grid);
  return [{ name: 'Active sessions', values: all, description: 'All sessions that are at work.' }];
}

export function levelOf({ processors: { count } }: Load): Level | undefined {
  return count === null ? undefined : { name: countOf(count, 'CPU'), value: count };
}

const WIDTHS = { '1m': '1 min', '15m': '15 min', '1h': 'an hour' } as const;

/** "Sampled every second", "Means of 15 min, then sampled every second". */
export function readText({ read }: Load): string {
  const words = read.map(({ tier, resolution_seconds }) =>
    tier === 'samples'
      ? resolution_seconds === 1
        ? 'sampled every second'
        : `sampled ${everyText(resolution_seconds)}`
      : `means of ${WIDTHS[tier]}`,
  );
  const text = [...new Set(words)].join(', then ');
  return text === '' ? 'nothing was sampled' : text;
}
