// Settings with a unit as plain numbers, and numbers as people read them. Pure.
import { inertLine } from '../../kernel/inert-text.ts';

const SIZES: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1024,
  MB: 1024 ** 2,
  GB: 1024 ** 3,
  TB: 1024 ** 4,
};
const TIMES: Readonly<Record<string, number>> = {
  us: 1e-6,
  ms: 1e-3,
  s: 1,
  min: 60,
  h: 3600,
  d: 86_400,
};

/** `8kB` is a number of pages: 8192 times the value. Special values below zero stay as they are. */
function inUnit(setting: string | null, unit: string | null, units: Readonly<Record<string, number>>) {
  const value = setting === null || setting === '' ? Number.NaN : Number(setting);
  if (!Number.isFinite(value)) return undefined;
  if (value < 0 || unit === null || unit === '') return value;
  const [, factor, name = ''] = /^(\d*)(.*)$/.exec(unit) ?? [];
  const scale = units[name];
  return scale === undefined ? undefined : value * Number(factor || 1) * scale;
}

export const settingBytes = (setting: string | null, unit: string | null): number | undefined =>
  inUnit(setting, unit, SIZES);

export const settingSeconds = (setting: string | null, unit: string | null): number | undefined =>
  inUnit(setting, unit, TIMES);

/** Quoted where PostgreSQL needs it, which is always right. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const qualified = (schema: string | null, name: string | null): string =>
  schema === null ? quoted(name ?? '') : `${quoted(schema)}.${quoted(name ?? '')}`;

/** A name in a comment of SQL: a line end in it would end the comment, and the rest would run where somebody pastes it. */
export const quotedInComment = (name: string): string => inertLine(quoted(name));

/** A text as SQL writes it. */
export const literal = (text: string): string =>
  text.includes('\\')
    ? `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
    : `'${text.replaceAll("'", "''")}'`;

/** `public.orders`, as people write it. */
export const named = (schema: string | null, name: string | null): string =>
  schema === null ? (name ?? '') : `${schema}.${name ?? ''}`;
