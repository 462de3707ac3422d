// Which class an event is of. Pure. Guards: SQLSTATE decides where the file has it, so that a text that code of the application raises
// is not taken for the server's; an event that no class knows stays unclassified and is counted.
import { cutText } from '../kernel/inert-text.ts';
import { classes } from './classes/catalog.gen.ts';
import { eventClass as raisedByCode } from './classes/raised-by-code.ts';
import { inEnglish } from './translate.ts';
import type { EventClass, LogEvent, Severity } from './types.ts';

interface Template {
  readonly one: EventClass;
  readonly sqlstate: string;
  readonly parts: readonly string[];
  readonly severities: ReadonlySet<Severity> | undefined;
}

export interface Classified {
  readonly one: EventClass | undefined;
  /** Of the file, or what the text says; '' where neither does. */
  readonly sqlstate: string;
  /** By which the figures are read: the event, or a copy of it in English. */
  readonly read: LogEvent;
}

const GAP = '…';

/** Whether a text begins with the first part, has the others in order and ends with the last. */
function fits(text: string, parts: readonly string[]): boolean {
  const [first = ''] = parts;
  if (!text.startsWith(first)) return false;
  const last = parts.length - 1;
  if (last === 0) return text.length === first.length;
  let at = first.length;
  for (let part = 1; part < last; part += 1) {
    const found = text.indexOf(parts[part] ?? '', at);
    if (found === -1) return false;
    at = found + (parts[part] ?? '').length;
  }
  const end = parts[last] ?? '';
  return text.length - end.length >= at && text.endsWith(end);
}

/** Texts are looked up by the start that all of an index have. */
const KEY = 6;

class Index {
  readonly #byStart = new Map<string, Template[]>();
  readonly #others: Template[] = [];

  add(template: Template): void {
    const [first = ''] = template.parts;
    const key = first.slice(0, KEY);
    const list = first.length < KEY ? this.#others : (this.#byStart.get(key) ?? []);
    list.push(template);
    list.sort((a, b) => length(b) - length(a));
    if (first.length >= KEY) this.#byStart.set(key, list);
  }

  find(event: LogEvent): Template | undefined {
    const { message, severity, sqlstate } = event;
    const isFit = ({ parts, severities, sqlstate: state }: Template) =>
      (sqlstate === '' || sqlstate === state || state === '') &&
      (severities === undefined || severities.has(severity)) &&
      fits(message, parts);
    const known = this.#byStart.get(cutText(message, KEY));
    return known?.find(isFit) ?? this.#others.find(isFit);
  }
}

/** What says most of a text goes first. */
const length = ({ parts }: Template) => parts.join('').length;

const index = new Index();
const bySqlstate = new Map<string, EventClass>();
const all: readonly EventClass[] = classes;
for (const one of all) {
  for (const sqlstate of one.sqlstates ?? []) bySqlstate.set(sqlstate, one);
  for (const [sqlstate, texts] of Object.entries(one.texts ?? {}))
    for (const text of texts)
      index.add({
        one,
        sqlstate: sqlstate === 'any' ? '' : sqlstate,
        parts: text.split(GAP),
        severities: one.severities && new Set(one.severities),
      });
}

/** Without an SQLSTATE, the CONTEXT says that code of the application raised an error; of which SQLSTATE is not known then. */
const RAISED = /^PL\/pgSQL function .{1,400} at RAISE$/m;

/** SQLSTATE of what is no error, where neither the file nor a text says it. */
const OF_NO_ERROR: ReadonlySet<Severity> = new Set(['DEBUG', 'LOG', 'INFO', 'NOTICE']);
const SUCCESS = '00000';

/** The class of an event, and its SQLSTATE where that is known. */
export function classify(event: LogEvent): Classified {
  const found = index.find(event);
  if (found !== undefined)
    return { one: found.one, sqlstate: event.sqlstate || found.sqlstate || usual(event), read: event };
  const read = inEnglish(event);
  const known = read && index.find(read);
  if (known !== undefined && read !== undefined)
    return { one: known.one, sqlstate: event.sqlstate || known.sqlstate || usual(event), read };
  return { ...bySqlstateOf(event), read: event };
}

function bySqlstateOf(event: LogEvent): Omit<Classified, 'read'> {
  const { sqlstate } = event;
  if (sqlstate === '' && RAISED.test(event.context)) return { one: raisedByCode, sqlstate };
  if (sqlstate === '' || sqlstate === SUCCESS) return { one: undefined, sqlstate: sqlstate || usual(event) };
  // Notices that a statement gives are no errors of the class that their SQLSTATE is named after.
  if (OF_NO_ERROR.has(event.severity)) return { one: undefined, sqlstate };
  return { one: bySqlstate.get(sqlstate) ?? bySqlstate.get(sqlstate.slice(0, 2)), sqlstate };
}

const usual = ({ severity }: LogEvent) =>
  OF_NO_ERROR.has(severity) ? SUCCESS : severity === 'WARNING' ? '01000' : '';
