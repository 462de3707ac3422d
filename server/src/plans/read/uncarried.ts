// Lines of a log as containers, journals and syslog hand them on, without what these put before them. Pure. Guards: lines of other
// processes and other programs do not become part of a plan.

const ISO = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)`;
/** What is put before each line; the groups say of which container or process it is. */
const CARRIERS: readonly RegExp[] = [
  /^([A-Za-z][\w.-]{0,63}) +\| ?/,
  /^\[(pod\/[^\]\s]{1,300})\] /,
  new RegExp(`^${ISO} (?:stdout|stderr) [FP] `),
  new RegExp(
    String.raw`^(?:<\d{1,3}>)?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|${ISO}) (\S{1,255} [^\s[:]{1,64}\[\d{1,10}\]): (?:\[\d{1,12}-\d{1,9}\] ?)?`,
  ),
  new RegExp(
    String.raw`^<\d{1,3}>1 ${ISO} (\S{1,255} \S{1,64} \d{1,10}) \S{1,64} (?:-|\[[^\]]{0,2000}\]) (?:\[\d{1,12}-\d{1,9}\] ?)?`,
  ),
  /^([a-z][a-z\d.-]{0,252} [a-z][a-z\d-]{0,62}) (?=\d{4}-|\t)/,
  new RegExp(
    String.raw`^${ISO} app\[(postgres\.\d{1,10})\]: \[\w{1,64}\] \[\d{1,12}-\d{1,9}\] {1,2}(?:sql_error_code = \w{5} )?`,
  ),
  new RegExp(String.raw`^(?:[^\t]{1,200}\t[^\t]{1,200}\t\ufeff?)?${ISO} `),
];
const JSON_LINE = /^\{.*"(?:log|MESSAGE|textPayload)":/;

function textOf(line: string): string[] {
  try {
    const parsed: unknown = JSON.parse(line);
    const members = new Map(typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : []);
    const text: unknown = members.get('log') ?? members.get('MESSAGE') ?? members.get('textPayload');
    return typeof text === 'string' ? text.replace(/\r?\n$/, '').split('\n') : [line];
  } catch {
    return [line];
  }
}

/** `logged` finds the line that a plan begins with. */
export function uncarried(lines: readonly string[], logged: RegExp): readonly string[] {
  const start = lines.find((line) => logged.test(line));
  if (start === undefined) return lines;
  if (JSON_LINE.test(start)) return uncarried(lines.flatMap(textOf), logged);
  const carrier = CARRIERS.find((pattern) => pattern.test(start));
  if (carrier === undefined) return lines;
  const bySource = new Map<string, string[]>();
  for (const line of lines) {
    const found = carrier.exec(line);
    if (found === null) continue;
    const own = bySource.get(found[1] ?? '') ?? [];
    own.push(line.slice(found[0].length));
    bySource.set(found[1] ?? '', own);
  }
  return [...bySource.values()].flat();
}
