// The value of a server's setting as people read it. Pure.

/** 4096 kB; 128 MB's 16384 pages of 8kB are 131072 kB. Texts and what has no unit stay as they are. */
export function settingText(value: string, unit: string | null): string {
  const number = Number(value);
  if (unit === null || unit === '' || value === '' || !Number.isFinite(number) || number < 0) return value;
  const [, factor, rest] = /^(\d*)(.*)$/.exec(unit) ?? [];
  return `${number * Number(factor || 1)} ${rest}`;
}
