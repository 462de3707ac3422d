import { expect, it } from 'vitest';
import { exposition, wantsOpenMetrics } from './exposition.ts';
import { counter, type Figure, gauge } from './figures.ts';

const labelled: Figure = {
  ...{ name: 'rounds_total', type: 'counter', help: 'Says "so" \\ and\nmore.' },
  values: [
    { labels: { part: 'a"b\\c\nd', outcome: 'good' }, value: 3 },
    { labels: { part: 'unknown' }, value: null },
  ],
};

it('writes the text format, and escapes what would end a text', () => {
  expect(exposition([gauge('bytes', 'Kept.', 1.5), labelled], false)).toBe(
    [
      '# HELP bytes Kept.',
      '# TYPE bytes gauge',
      'bytes 1.5',
      '# HELP rounds_total Says "so" \\\\ and\\nmore.',
      '# TYPE rounds_total counter',
      'rounds_total{part="a\\"b\\\\c\\nd",outcome="good"} 3',
      '',
    ].join('\n'),
  );
});

it('writes OpenMetrics: a counter is described without its ending, and the end is marked', () => {
  expect(exposition([counter('rounds_total', 'Done "so".', 2)], true)).toBe(
    ['# HELP rounds Done \\"so\\".', '# TYPE rounds counter', 'rounds_total 2', '# EOF', ''].join('\n'),
  );
});

it('leaves out what is not known, rather than making a zero of it', () => {
  expect(exposition([gauge('age_seconds', 'Age.', null), gauge('share', 'Of none.', Number.NaN)], true)).toBe(
    '# EOF\n',
  );
});

it('takes the header Accept as Prometheus sends it', () => {
  const sent = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1';
  expect([sent, 'text/plain', '*/*', undefined].map(wantsOpenMetrics)).toEqual([true, false, false, false]);
});
