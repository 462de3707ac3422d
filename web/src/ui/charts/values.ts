// Figures of charts in words, by the units of the server. Pure. Guards: sizes count in powers of 1024, a rate says
// "a second", and what nobody measured is never written as a number.
import { formatBytes, formatDuration } from '../../lib/format.ts';

const plain = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** At most three significant digits. */
function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 999.5e9) return `${plain.format(value / 1e12)} T`;
  if (size >= 999.5e6) return `${plain.format(value / 1e9)} G`;
  if (size >= 999_500) return `${plain.format(value / 1e6)} M`;
  return size >= 100 ? whole.format(value) : plain.format(value);
}

/** A value without "a second". */
function formatAmount(value: number, unit: string): string {
  if (unit === 'bytes') return formatBytes(value);
  if (unit === 'seconds') return formatDuration(value);
  if (unit === 'ms') return formatDuration(value / 1000);
  if (unit === 'days') return `${formatNumber(value)} ${value === 1 ? 'day' : 'days'}`;
  if (unit === 'percent') return `${plain.format(value)} %`;
  return formatNumber(value);
}

/** "12.5 /s", "3 MB/s", "41 %"; undefined for what nobody measured. */
export function formatValue(value: number | null | undefined, unit: string): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (!unit.endsWith('/s')) return formatAmount(value, unit);
  const of = unit.slice(0, -2);
  const isNumber = of !== 'bytes' && of !== 'ms' && of !== 'seconds';
  return `${formatAmount(value, of)}${isNumber ? ' ' : ''}/s`;
}

/** Of these the figures of the axis say it themselves. */
const SAID = new Set(['', 'count', 'bytes', 'percent', 'ms', 'seconds', 'days']);

/** What is counted, as it stands above the axis: "blocks a second"; empty where the figures say it. */
export function unitWords(unit: string): string {
  const isRate = unit.endsWith('/s');
  const of = isRate ? unit.slice(0, -2) : unit;
  if (SAID.has(of)) return '';
  return isRate ? `${of} a second` : of;
}
