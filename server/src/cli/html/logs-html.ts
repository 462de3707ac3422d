// The verdict on logs as a page of HTML that stands by itself.

import { shownValue } from '../../kernel/shown-value.ts';
import type { LogFinding, LogReport } from '../../logs/report.ts';
import { shownMs } from '../../plans/shown-figures.ts';
import { type Html, html, htmlPage, htmlTable } from './page.ts';

const number = (title: string) => ({ title, isNumber: true });

const whenOf = ({ first, last }: LogFinding) =>
  first === last ? `${first ?? ''}` : `${first ?? ''} to ${last ?? ''}`;

function findingCard(one: LogFinding): Html {
  const { example } = one;
  const texts = [example.message, example.detail, example.statement].filter(
    (text) => text !== null && text !== '',
  );
  const classes = one.weight === 'critical' ? html`card critical` : html`card warning`;
  return html`<section class="${classes}"><h3>${one.title}: ${one.count}</h3>
<p class="dim">${whenOf(one)}</p><p>${one.meaning}</p><p>What to do: ${one.remedy}</p>
<pre>${texts.join('\n')}</pre></section>
`;
}

const isCard = ({ weight }: LogFinding) => weight === 'critical' || weight === 'warning';

function figuresOf(report: LogReport): Html {
  const { temp_files: temp, checkpoints, autovacuums, lock_waits: waits, slow_statements: slow } = report;
  const rows = [
    ['Slow statements', slow.count, shownMs(slow.total_ms)],
    ['Temporary files', temp.count, shownValue(temp.bytes, 'bytes')],
    ['Checkpoints', checkpoints.count, ''],
    ['Autovacuum runs', autovacuums.count, ''],
    ['Autoanalyze runs', autovacuums.analyzes, ''],
    ['Lock waits', waits.count, ''],
    ['Unclassified events', report.unclassified, ''],
    ...report.skipped.map(({ reason, lines }) => [`Skipped lines: ${reason}`, lines, '']),
    ...Object.entries(report.connection_failures).map(([reason, count]) => [
      `Failed connections: ${reason}`,
      count,
      '',
    ]),
  ];
  return htmlTable('Figures', [{ title: 'Figure' }, number('Count'), number('In all')], rows);
}

function slowOf({ slow_statements: { top } }: LogReport): Html | null {
  if (top.length === 0) return null;
  const rows = top.map((row) => [
    html`<code>${row.statement}</code>`,
    row.count,
    ...[row.total_ms, row.mean_ms, row.max_ms].map(shownMs),
  ]);
  const columns = [
    { title: 'Statement' },
    number('Count'),
    number('Total'),
    number('Mean'),
    number('Longest'),
  ];
  return html`<h2>Slow statements</h2>${htmlTable('Slow statements', columns, rows)}`;
}

export function logsHtml(report: LogReport): string {
  const others = report.findings.filter((one) => !isCard(one));
  const head = report.worst === null ? 'Nothing of note.' : `Worst: ${report.worst}.`;
  return htmlPage(
    'PostgreSQL logs',
    html`<h1>PostgreSQL logs</h1>
<p>${report.events === 0 ? 'No line is of a PostgreSQL log.' : head}</p>
<p class="dim">${report.lines} lines, ${report.events} events, ${report.from ?? 'unknown'} to ${report.to ?? 'unknown'}</p>
${report.notes.map((note) => html`<p>Note: ${note}</p>`)}
${report.findings.filter(isCard).map(findingCard)}
<h2>Figures</h2>
${figuresOf(report)}
${slowOf(report)}
${
  others.length === 0
    ? null
    : html`<h2>All other events</h2>${htmlTable(
        'All other events',
        [{ title: 'Event' }, number('Count'), { title: 'First' }, { title: 'Last' }, { title: 'Meaning' }],
        others.map((one) => [one.title, one.count, one.first, one.last, one.meaning]),
      )}`
}`,
  );
}
