// Figures of plans in words, the same in the terminal and on the page.
const GROUPED = new Intl.NumberFormat('en');

/** Three significant digits at most, with thousands separated. */
export function shownNumber(value: number): string {
  if (value !== 0 && Math.abs(value) < 100 && !Number.isInteger(value))
    return String(Number(value.toPrecision(3)));
  // Without the sign of -0.
  return GROUPED.format(Math.round(value) + 0);
}

export function shownMs(ms: number): string {
  if (ms < 1000) return `${shownNumber(ms < 0.001 ? 0 : ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toPrecision(3))} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 3600
    ? `${Math.floor(seconds / 60)} min ${seconds % 60} s`
    : `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

const UNITS = ['kB', 'MB', 'GB', 'TB'];

export function shownKb(kb: number): string {
  let [value, unit] = [kb, 0];
  while (value >= 1024 && unit < UNITS.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${shownNumber(value)} ${UNITS[unit]}`;
}

const PAGE_KB = 8;
export const shownPages = (pages: number) => shownKb(pages * PAGE_KB);

export const shownShare = (part: number, whole: number) =>
  whole <= 0 ? '0 %' : `${Math.round((100 * part) / whole)} %`;

export const many = (count: number, one: string, more = `${one}s`) =>
  `${shownNumber(count)} ${count === 1 ? one : more}`;

const hasFactor = (factor: number) => factor >= 1.5;

/** `10 times as many as estimated`; undefined where it is about right. */
export function shownMisestimate(
  off: { factor: number; direction: 'more' | 'fewer' } | null,
): string | undefined {
  if (off === null || !hasFactor(off.factor)) return undefined;
  return `${shownNumber(off.factor)} times ${off.direction === 'more' ? 'as many' : 'fewer'} than estimated`.replace(
    'as many than',
    'more than',
  );
}
