// Figures of charts in words, by the units of the server. Pure. Guards: sizes count in powers of 1024, a rate says
// "a second", and what nobody measured is never written as a number.
import { formatBytes } from '../../lib/format.ts';

const plain = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e12) return `${plain.format(value / 1e12)} T`;
  if (size >= 1e9) return `${plain.format(value / 1e9)} G`;
  if (size >= 1e6) return `${plain.format(value / 1e6)} M`;
  return size >= 1000 ? whole.format(value) : plain.format(value);
}

function formatSeconds(seconds: number): string {
  const size = Math.abs(seconds);
  if (size >= 172_800) return `${plain.format(seconds / 86_400)} d`;
  if (size >= 7200) return `${plain.format(seconds / 3600)} h`;
  if (size >= 120) return `${plain.format(seconds / 60)} min`;
  return size > 0 && size < 1 ? `${plain.format(seconds * 1000)} ms` : `${plain.format(seconds)} s`;
}

/** A value without "a second". */
function formatAmount(value: number, unit: string): string {
  if (unit === 'bytes') return formatBytes(value);
  if (unit === 'seconds') return formatSeconds(value);
  if (unit === 'ms') return formatSeconds(value / 1000);
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
const SAID = new Set(['', 'count', 'bytes', 'percent', 'ms', 'seconds']);

/** What is counted, as it stands above the axis: "blocks a second"; empty where the figures say it. */
export function unitWords(unit: string): string {
  const isRate = unit.endsWith('/s');
  const of = isRate ? unit.slice(0, -2) : unit;
  if (SAID.has(of)) return '';
  return isRate ? `${of} a second` : of;
}
