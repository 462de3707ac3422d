// Which source each host fact came from.
import type { HostValue } from '../../../api/types.ts';

/** The source of one field; fields are named alone or with the part they belong to ("system.cpu_model"). */
export function sourceOf(values: readonly HostValue[], field: string): string | undefined {
  const found = values.find(
    (value) =>
      value.field === field || value.field.endsWith(`.${field}`) || value.field.startsWith(`${field}[`),
  );
  return found?.source;
}

export function sourcesOf(values: readonly HostValue[]): string[] {
  return [...new Set(values.map((value) => value.source))];
}

export function newestTime(values: readonly HostValue[]): string | undefined {
  return values
    .map((value) => value.observed_at)
    .sort()
    .at(-1);
}
