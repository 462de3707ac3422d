// Settings as findings show and mend them. Guards: what holds for our role or database alone is not taken for the server's; the
// remedy says when the server has to be restarted.

import type { Facts, Item } from './facts.ts';
import { type EvidenceValue, foundOnServer, type Judgement, type Problem, type Unknown } from './types.ts';
import { literal } from './units.ts';

/** Columns of pg_settings that these functions read. */
export const SETTING_COLUMNS = ['name', 'setting', 'unit', 'context', 'source', 'boot_val'] as const;

const OURS: ReadonlySet<string> = new Set([
  'global',
  'database',
  'user',
  'database user',
  'client',
  'session',
]);

const isOurs = (row: Item) => OURS.has(row.text('source') ?? '');

/** The setting as the server has it; undefined: it has none, or what we see is our role's or database's own. */
export function ofServer(facts: Facts, name: string): Item | undefined {
  const row = facts.settingRow(name);
  return row && !isOurs(row) ? row : undefined;
}

/** Those of these settings of which we see only what our role or database was given. */
export function hiddenSettings(facts: Facts, names: readonly string[]): Unknown[] {
  const hidden = names.filter((name) => {
    const row = facts.settingRow(name);
    return row !== undefined && isOurs(row);
  });
  if (hidden.length === 0) return [];
  const because = `The server value of ${hidden.join(', ')} is hidden, because the monitoring role or its database overrides it.`;
  return [{ because, mend: null }];
}

/** `name` is a setting's, which is no text of a stranger. */
function statement(name: string, value: string): string {
  const isPlain = /^(?:-?\d+(?:\.\d+)?|on|off)$/.test(value);
  return `alter system set ${name} = ${isPlain ? value : literal(value)};`;
}

/** Sets them, each to its value as people write it: `64MB`. */
export function settingRemedy(facts: Facts, values: Readonly<Record<string, string>>): string {
  const names = Object.keys(values);
  const statements = names.map((name) => statement(name, values[name] ?? ''));
  const needsRestart = names.some((name) => facts.settingRow(name)?.text('context') === 'postmaster');
  return [
    ...statements,
    needsRestart ? '-- Restart the server afterwards.' : 'select pg_reload_conf();',
  ].join('\n');
}

const MIB = 1024 ** 2;

/** Whole megabytes, as settings of memory take them. */
export const inMegabytes = (bytes: number): string => `${Math.max(1, Math.floor(bytes / MIB))}MB`;

export type OfServer = Omit<Problem, 'database_name' | 'object_name' | 'evidence'> & {
  readonly evidence: Readonly<Record<string, EvidenceValue>>;
};

/** One finding about a setting. */
export const aboutSetting = (name: string, found: OfServer): Judgement =>
  foundOnServer({ object_name: name, ...found });
