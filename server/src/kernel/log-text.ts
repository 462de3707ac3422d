// A log line as text, for a person at a terminal: when, how grave, what, then its values. Pure. Guards: one line for each event; what
// cannot be seen is a sign; a line that is no event is shown as it is.
import { cutText, inertLine } from './inert-text.ts';
import { isRecord } from './read-json.ts';

const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warning',
  50: 'error',
  60: 'fatal',
};
const LONGEST = 300;

/** Of an error what it says: where it was thrown is in the JSON. */
function shown(value: unknown): string {
  if (isRecord(value) && typeof value.message === 'string') {
    const code = typeof value.code === 'string' ? ` (${value.code})` : '';
    return value.message + code;
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const event: unknown = JSON.parse(line);
    return isRecord(event) ? event : undefined;
  } catch {
    return undefined;
  }
}

export function logText(line: string): string {
  const known = parsed(line);
  if (!known) return `${inertLine(line.trimEnd())}\n`;
  const { level, time, event, msg, err, ...values } = known;
  const at = typeof time === 'number' ? new Date(time).toISOString().slice(11, 19) : '';
  const rest = [
    ...(err === undefined ? [] : [shown(err)]),
    ...Object.entries(values).map(([name, value]) => `${name}=${shown(value)}`),
  ];
  const words = [at, LEVELS[Number(level)] ?? '', String(event ?? msg ?? '')].filter((word) => word !== '');
  const said = rest.map((one) => inertLine(cutText(one, LONGEST, '…')));
  return `${inertLine(words.join(' '))}${said.length > 0 ? `: ${said.join(', ')}` : ''}\n`;
}
