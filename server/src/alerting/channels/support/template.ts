// The language of templates: `{{.Field}}` and `{{if .Field}}…{{else}}…{{end}}`, and nothing else. Pure. Guards: a
// template cannot loop, call or reach anything but the fields, and every value is escaped on its way in.

import { cutText } from '../../../kernel/inert-text.ts';
export const FIELDS = [
  'AlertID',
  'AlertType',
  'AlertTitle',
  'AlertDescription',
  'Severity',
  'SeverityColor',
  'SeverityEmoji',
  'Status',
  'TriggeredAt',
  'ClearedAt',
  'MetricName',
  'MetricValue',
  'ThresholdValue',
  'Operator',
  'ConnectionID',
  'ServerName',
  'ClusterName',
  'ServerHost',
  'ServerPort',
  'DatabaseName',
  'NotificationType',
  'ReminderCount',
  'Timestamp',
  'Duration',
] as const;
export type Field = (typeof FIELDS)[number];
/** An empty text is a value that is not there. */
export type Fields = Readonly<Record<Field, string>>;

type Node = string | { field: Field } | Choice;
interface Choice {
  test: Field;
  yes: Node[];
  no: Node[];
}
export type Template = readonly Node[];

/** What is wrong with a template, as the end of a sentence. */
export class TemplateError extends Error {
  constructor(words: string) {
    super(words);
    this.name = 'TemplateError';
  }
}

const DEEPEST = 10;
/** Bounded, so that a text of nothing but braces costs no time. */
const ACTION = /\{\{([^{}]{0,200})\}\}/g;

function fieldOf(name: string): Field {
  const field = FIELDS.find((known) => known === name);
  if (!field)
    throw new TemplateError(`has no field .${cutText(name, 40)}; the fields are ${FIELDS.join(', ')}.`);
  return field;
}

interface Open {
  choice: Choice | undefined;
  /** Where nodes go now. */
  into: Node[];
  hasElse: boolean;
}

/** Text beside the actions. Closing braces are at home in JSON. */
function plain(text: string): string {
  if (text.includes('{{')) throw new TemplateError('has a {{ without its }}.');
  return text;
}

class Parser {
  readonly root: Node[] = [];
  readonly #open: Open[] = [{ choice: undefined, into: this.root, hasElse: false }];

  get #top(): Open {
    return this.#open.at(-1) ?? { choice: undefined, into: this.root, hasElse: false };
  }

  text(text: string): void {
    if (text !== '') this.#top.into.push(plain(text));
  }

  action(source: string): void {
    const words = source.trim();
    const value = /^\.(\w+)$/.exec(words)?.[1];
    const test = /^if\s+\.(\w+)$/.exec(words)?.[1];
    if (value !== undefined) this.#top.into.push({ field: fieldOf(value) });
    else if (test !== undefined) this.#begin(fieldOf(test));
    else if (words === 'else') this.#otherwise();
    else if (words === 'end') this.#end();
    else
      throw new TemplateError(
        `knows only {{.Field}}, {{if .Field}}, {{else}} and {{end}}; found {{${cutText(words, 40)}}}.`,
      );
  }

  #begin(test: Field): void {
    if (this.#open.length > DEEPEST) throw new TemplateError(`nests {{if}} deeper than ${DEEPEST} times.`);
    const choice: Choice = { test, yes: [], no: [] };
    this.#top.into.push(choice);
    this.#open.push({ choice, into: choice.yes, hasElse: false });
  }

  #otherwise(): void {
    const top = this.#top;
    if (!top.choice || top.hasElse) throw new TemplateError('has an {{else}} without its {{if}}.');
    top.into = top.choice.no;
    top.hasElse = true;
  }

  #end(): void {
    if (!this.#top.choice) throw new TemplateError('has an {{end}} without its {{if}}.');
    this.#open.pop();
  }

  finish(): Template {
    if (this.#open.length > 1) throw new TemplateError('has an {{if}} without its {{end}}.');
    return this.root;
  }
}

/** Throws a TemplateError. */
export function parseTemplate(source: string): Template {
  const parser = new Parser();
  let at = 0;
  for (const found of source.matchAll(ACTION)) {
    parser.text(source.slice(at, found.index));
    parser.action(found[1] ?? '');
    at = found.index + found[0].length;
  }
  parser.text(source.slice(at));
  return parser.finish();
}

/** Every value goes through `asText`; what stands in the template itself does not. */
export function render(template: Template, fields: Fields, asText: (value: string) => string): string {
  return template
    .map((node) => {
      if (typeof node === 'string') return node;
      if ('field' in node) return asText(fields[node.field]);
      return render(fields[node.test] === '' ? node.no : node.yes, fields, asText);
    })
    .join('');
}
