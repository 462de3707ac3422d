// Numbers and sizes for people. Null means "not known" and is never written as a number; callers say so in words.

const BINARY = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Sizes in powers of 1024, as PostgreSQL prints them: 8192 → "8 kB", 44023414784 → "41 GB". */
export function formatBytes(bytes: number): string {
  let value = Math.abs(bytes);
  let step = 0;
  while (value >= 1023.5 && step < BINARY.length - 1) {
    value /= 1024;
    step += 1;
  }
  const digits = step === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  const text = trimZeros(value.toFixed(digits));
  return `${bytes < 0 ? '−' : ''}${text} ${BINARY[step] ?? 'B'}`;
}

function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

const money = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const three = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** 1234567 → "1,234,567". */
export function formatCount(count: number): string {
  return whole.format(count);
}

/** US dollars, small ones with two figures: 12.5 → "$12.50", 0.0006 → "$0.0006", 0 → "$0". */
export function formatDollars(dollars: number): string {
  if (dollars === 0) return '$0';
  if (dollars >= 0.995) return `$${money.format(dollars)}`;
  return dollars < 0.0001
    ? '<$0.0001'
    : `$${trimZeros(dollars.toFixed(Math.min(4, 1 - Math.floor(Math.log10(dollars)))))}`;
}

/** "1 database", "3 databases". */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** Hertz in the unit people know: 2450000000 → "2.45 GHz". */
export function formatHertz(hertz: number): string {
  if (hertz >= 1e9) return `${trimZeros((hertz / 1e9).toFixed(2))} GHz`;
  return `${trimZeros((hertz / 1e6).toFixed(0))} MHz`;
}

/** The smaller unit is left out where it is zero. */
const both = (large: string, small: number, unit: string) =>
  small === 0 ? large : `${large} ${small} ${unit}`;

/** From a minute on in two units: "2 min 22 s". */
function formatLong(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return both(`${minutes} min`, Math.floor(seconds % 60), 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return both(`${hours} h`, minutes % 60, 'min');
  return both(`${whole.format(Math.floor(hours / 24))} d`, hours % 24, 'h');
}

/** Three digits below a minute, two units from there on: 0.25 → "250 ms", 142 → "2 min 22 s". */
export function formatDuration(seconds: number): string {
  const size = Math.abs(seconds);
  // What rounds to a minute is one: there are no 60 s.
  if (size >= 59.95) return `${seconds < 0 ? '−' : ''}${formatLong(Math.round(size))}`;
  return size > 0 && size < 0.9995 ? `${three.format(seconds * 1000)} ms` : `${three.format(seconds)} s`;
}

/** 0.4 → "0.4 ms", 1530 → "1.53 s". */
export function formatMilliseconds(milliseconds: number): string {
  if (milliseconds < 0.095) return '<0.1 ms';
  if (milliseconds < 9.95) return `${trimZeros(milliseconds.toFixed(1))} ms`;
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  return formatDuration(milliseconds / 1000);
}

/** Part of a whole as 0–100, clamped; null when it cannot be said. */
export function percentOf(part: number | null, total: number | null): number | null {
  if (part === null || total === null || total <= 0) return null;
  return Math.min(100, Math.max(0, (part / total) * 100));
}

/** How full a volume is, as df says it and as alerts judge it: blocks reserved for root are nobody's to use. */
export const volumePercent = (used: number | null, free: number | null): number | null =>
  used === null || free === null ? null : percentOf(used, used + free);

/** A share of something in percent, with as many digits as a small one takes. */
export function formatShare(percent: number): string {
  if (percent > 0 && percent < 0.001) return '<0.001 %';
  return `${percent < 1 ? Number(percent.toPrecision(2)) : Math.round(percent * 10) / 10} %`;
}
