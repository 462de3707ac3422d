// The words of changes in titles and summaries. Pure. Guards: plain text of bounded length, whatever a server says.
import { settingText } from '../../kernel/setting-text.ts';
import type { Row } from '../../store/layout/types.ts';
import type { EventChange } from './changed-facts.ts';

const LONGEST = 120;
const MOST_NAMES = 5;

export const shortened = (text: string): string => {
  const characters = [...text.slice(0, 2 * LONGEST)];
  return characters.length <= LONGEST ? text : `${characters.slice(0, LONGEST - 1).join('')}…`;
};

/** A stored value as text; members of a list with commas between. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return Array.isArray(value) ? value.join(',') : String(value);
}

export const changeType = ({ before, after }: EventChange): 'added' | 'modified' | 'removed' => {
  if (before === null) return 'added';
  return after === null ? 'removed' : 'modified';
};

/** `a, b and 7 more` */
export function listed(names: readonly string[], count: number): string {
  const shown = names.slice(0, MOST_NAMES).map(shortened);
  const rest = count - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`;
  const last = shown.at(-1) ?? '';
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`;
}

/** `Setting work_mem modified`, `3 settings changed` */
export function titleOf(
  what: string,
  names: readonly string[],
  { change_count, changes }: { change_count: number; changes: readonly EventChange[] },
): string {
  const [only] = changes;
  if (change_count === 1 && only) return `${what} ${shortened(names[0] ?? '')} ${changeType(only)}`;
  return `${change_count} ${what.toLowerCase()}s changed`;
}

/** A setting's value with its unit, as 4096 kB. */
export function setting({ setting: value, unit }: Row): string {
  const text = textOf(value);
  if (text === null) return 'unknown';
  return text === '' ? 'empty' : shortened(settingText(text, textOf(unit)));
}
