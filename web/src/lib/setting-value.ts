// PostgreSQL tells settings in their base unit ("16384" of "8kB"); people think in gigabytes and seconds.
import { formatBytes } from './format.ts';

const BYTE_UNITS = new Map([
  ['B', 1],
  ['kB', 1024],
  ['MB', 1024 ** 2],
  ['GB', 1024 ** 3],
  ['TB', 1024 ** 4],
]);
const MILLISECOND_UNITS = new Map([
  ['us', 0.001],
  ['ms', 1],
  ['s', 1000],
  ['min', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

function duration(milliseconds: number): string {
  for (const unit of ['d', 'h', 'min', 's'] as const) {
    const size = MILLISECOND_UNITS.get(unit) ?? 1;
    if (milliseconds >= size && milliseconds % size === 0) return `${milliseconds / size} ${unit}`;
  }
  return `${milliseconds} ms`;
}

/** What a negative value or zero means where it is not a quantity. */
const SPECIAL = new Map([
  ['log_min_duration_statement=-1', 'off'],
  ['log_min_duration_statement=0', 'every statement'],
  ['autovacuum_work_mem=-1', 'maintenance_work_mem'],
]);

export interface RawSetting {
  name: string;
  setting: string | null;
  unit?: string | undefined;
}

/** As `show` prints it, e.g. "-1", "128 MB" raw "16384 × 8kB"; null while it is not known. */
export function humanSetting(raw: RawSetting): string | null {
  if (raw.setting === null) return null;
  const special = SPECIAL.get(`${raw.name}=${raw.setting}`);
  if (special) return special;
  const value = Number(raw.setting);
  const unit = /^(\d*)(B|kB|MB|GB|TB|us|ms|s|min|h|d)$/.exec(raw.unit ?? '');
  if (!unit || raw.setting.trim() === '' || Number.isNaN(value) || value < 0) return raw.setting;
  const amount = value * Number(unit[1] || '1');
  const name = unit[2] ?? '';
  const byte = BYTE_UNITS.get(name);
  if (byte !== undefined) return formatBytes(amount * byte);
  return duration(amount * (MILLISECOND_UNITS.get(name) ?? 1));
}

/** The value as the server keeps it, or null where the human form is the same. */
export function rawSetting(raw: RawSetting): string | null {
  if (raw.setting === null || humanSetting(raw) === raw.setting) return null;
  if (!raw.unit) return raw.setting;
  const kept = /^\d/.test(raw.unit) ? `${raw.setting} × ${raw.unit}` : `${raw.setting} ${raw.unit}`;
  return kept === humanSetting(raw) ? null : kept;
}
