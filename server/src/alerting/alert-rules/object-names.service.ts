// What a reading of a metric is about, as people name it: a database, and an object of it or of the server. Pure. Guards: an
// alert and a backtest of the same rule call the same thing by the same name; what comes from a monitored server is cut to
// one line of a bounded length.
import type { MetricValue } from '../../history/history.ts';
import { cutText } from '../../kernel/inert-text.ts';
import type { Probe } from '../../probes/types.ts';
import type { KnownRule } from './alert-rules.service.ts';
import { isWorse, type Reading } from './judge.service.ts';

const LONGEST_NAME = 200;
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** A name that a server gave, on one line. */
export const shownName = (name: string): string => {
  const line = name.replaceAll(HIDDEN, ' ').trim();
  return line.length > LONGEST_NAME ? `${cutText(line, LONGEST_NAME - 1)}…` : line;
};

const text = (value: unknown) => (value === null || value === undefined ? '' : String(value));

const inDatabase = (name: string) => (name === '' ? '' : ` (database ${name})`);

/** What people call an object: its qualified name, else its key without process ids, which are others at each start. */
function nameOf(probe: Probe, object: MetricValue['object']): string {
  const {
    schemaname,
    relname,
    indexrelname,
    sequencename,
    funcname,
    application_name,
    queryid,
    subname,
    datname,
  } = object;
  const name = indexrelname ?? sequencename ?? relname ?? funcname;
  const named = [schemaname, name].map(text).filter((part) => part !== '');
  if (named.length === 2) return shownName(named.join('.'));
  // A subscription belongs to a database, and another database may have one of the same name.
  if (text(subname) !== '') return shownName(`${text(subname)}${inDatabase(text(datname))}`);
  if (text(queryid) !== '') return shownName(`statement ${text(queryid)}`);
  if (text(application_name) !== '') return shownName(text(application_name));
  const keys = probe.columns.filter((column) => column.kind === 'key' && column.name !== 'pid');
  const parts = keys.map((column) => text(object[column.name]));
  return shownName(parts.filter((part) => part !== '').join(' '));
}

/** What a rule calls an object; empty: the database or the server as a whole. */
export const objectNameOf = ({ rule, probe }: KnownRule, object: MetricValue['object']): string =>
  rule.isOfServer ? '' : nameOf(probe, object);

/** Of two things that go by the same name the worse one counts, from when the newer one was read. */
export function worseOf(one: Reading, other: Reading, { rule }: KnownRule): Reading {
  const at = Math.max(one.at, other.at);
  if (one.value === null || other.value === null) return { at, value: one.value ?? other.value };
  return { ...(isWorse(one.value, other.value, rule) ? one : other), at };
}
