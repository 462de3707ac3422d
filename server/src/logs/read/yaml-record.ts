// A record of a log as a document of YAML, of which the text of the line and its time are read. Pure. Guards: what is written in another way than
// these styles of a text is no record, and its lines are read one by one.

const FIELD = /^(?: {2})?(textPayload|message|timestamp):(?: (.*))?$/;

function quoted(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text.replaceAll(/\\ /g, ' ').replaceAll('\t', '\\t'));
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function textOf(head: string, more: readonly string[]): string | undefined {
  if (/^[|>][-+\d]*$/.test(head)) {
    const indent = /^ */.exec(more[0] ?? '')?.[0].length ?? 0;
    const lines = more.map((line) => line.slice(indent));
    return (head.startsWith('|') ? lines.join('\n') : folded(lines)).trimEnd();
  }
  const whole = [head, ...more];
  if (head.startsWith("'")) return /^'(.*)'$/s.exec(folded(whole))?.[1]?.replaceAll("''", "'");
  if (head.startsWith('"')) return quoted(folded(whole));
  return folded(whole);
}

/** The first spaces of a line that goes on are those of the document. */
function folded(lines: readonly string[]): string {
  let text = lines[0] ?? '';
  let ends = 0;
  for (const line of lines.slice(1)) {
    const bare = line.replace(/^ +/, '').replace(/^\\(?= )/, '');
    if (bare === '') {
      ends += 1;
      continue;
    }
    if (ends > 0) text += '\n'.repeat(ends);
    else if (text.endsWith('\\')) text = text.slice(0, -1);
    else text += ' ';
    text += bare;
    ends = 0;
  }
  return text;
}

/** As a record of JSON; undefined where there is no text of a line. */
export function recordOfYaml(lines: readonly string[]): string | undefined {
  const record: Record<string, string> = {};
  lines.forEach((line, at) => {
    const [, name, head = ''] = FIELD.exec(line) ?? [];
    if (name === undefined || name in record) return;
    const rest = lines.slice(at + 1);
    const indent = line.startsWith(' ') ? /^ {3,}|^$/ : /^ +|^$/;
    const end = rest.findIndex((one) => !indent.test(one));
    const text = textOf(head, end === -1 ? rest : rest.slice(0, end));
    if (text !== undefined) record[name === 'message' ? 'textPayload' : name] ??= text;
  });
  return 'textPayload' in record ? JSON.stringify(record) : undefined;
}
