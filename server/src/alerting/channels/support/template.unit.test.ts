// The language of templates: what it knows, what it refuses, and that values stay values.
import { describe, expect, it } from 'vitest';
import { SAMPLE_ALERT, sampleAlerts } from '../alert-facts.ts';
import { fieldsOf } from './fields.ts';
import { FIELDS, parseTemplate, render, TemplateError } from './template.ts';

const fields = fieldsOf(
  { ...SAMPLE_ALERT, database_name: 'orders' },
  { kind: 'fire', timestamp: '2026-01-15T10:00:00Z' },
);
const plain = (source: string, values = fields) => render(parseTemplate(source), values, (value) => value);

describe('parseTemplate and render', () => {
  it('puts fields in, with space around them or not', () => {
    expect(
      plain('{{.ServerName}} is {{ .Severity }}: {{.MetricValue}} {{.Operator}} {{.ThresholdValue}}'),
    ).toBe('orders-db-1 is warning: 92.5 > 80');
    expect(plain('{"a": {"b": "{{.AlertID}}"}}')).toBe('{"a": {"b": "1"}}');
  });

  it('knows every field of the list, and has a value for each', () => {
    for (const name of FIELDS) expect(plain(`[{{.${name}}}]`)).toMatch(/^\[.*\]$/);
    const [bare = SAMPLE_ALERT] = sampleAlerts('clear');
    expect(plain('{{.ClearedAt}} {{.Duration}}', fieldsOf(bare, { kind: 'clear', timestamp: 'x' }))).toBe(
      '2026-01-15T10:05:00Z 35 min',
    );
  });

  it('chooses, also within a choice', () => {
    const source =
      '{{if .DatabaseName}}in {{.DatabaseName}}{{if .ClearedAt}} (over){{else}} (open){{end}}{{else}}nowhere{{end}}.';
    expect(plain(source)).toBe('in orders (open).');
    expect(plain(source, { ...fields, DatabaseName: '' })).toBe('nowhere.');
    expect(plain('{{if .MetricValue}}yes{{end}}', { ...fields, MetricValue: '0' })).toBe('yes');
  });

  it('escapes values and nothing else', () => {
    const shout = (value: string) => value.toUpperCase();
    expect(render(parseTemplate('a {{.ServerName}} b'), fields, shout)).toBe('a ORDERS-DB-1 b');
    const hostile = { ...fields, ServerName: '{{.AlertID}}{{if .Status}}' };
    expect(plain('{{.ServerName}}', hostile)).toBe('{{.AlertID}}{{if .Status}}');
  });

  it.each([
    ['{{.Secret}}', /no field \.Secret/],
    ['{{range .AlertID}}', /knows only .*found \{\{range/],
    ['{{.AlertID | printf}}', /knows only/],
    ['{{ServerName}}', /knows only/],
    ['{{if .AlertID}}', /without its \{\{end}}/],
    ['{{end}}', /without its \{\{if}}/],
    ['{{else}}', /without its \{\{if}}/],
    ['{{if .Status}}a{{else}}b{{else}}c{{end}}', /without its \{\{if}}/],
    ['{{.AlertID', /without its }}/],
    ['{{if .Status}}'.repeat(11) + '{{end}}'.repeat(11), /deeper/],
    ['{{'.repeat(30_000), /without its }}/],
  ])('refuses %.40s', (source, words) => {
    expect(() => parseTemplate(source)).toThrow(TemplateError);
    expect(() => parseTemplate(source)).toThrow(words);
  });
});
