// A verdict as one HTML file: no script, nothing from elsewhere, light and dark, ready to print. Guards: everything that comes from a
// server is escaped, and the file's own policy lets nothing run or load.
import type { Report, ReportedFinding } from '../../insight/checks/report.ts';
import { htmlText } from '../../kernel/html-text.ts';
import { inertBlock } from '../../kernel/inert-text.ts';
import {
  checksLine,
  headline,
  placeOf,
  proofOf,
  SEVERITY_TITLES,
  serverLine,
  watchedLine,
} from './sentences.ts';

const text = (value: unknown) => htmlText(inertBlock(String(value)));

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --critical: #b42318; --warning: #8a5a00; --info: #2e5c99; }
@media (prefers-color-scheme: dark) { :root { --critical: #ff8a7a; --warning: #f0b357; --info: #8ab4f0; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.2rem; margin-top: 2rem; }
h3 { font-size: 1rem; margin: 0 0 .25rem; } p { margin: .25rem 0; } .quiet { opacity: .75; font-size: .9rem; }
article { border: 1px solid var(--line); border-left-width: 4px; border-radius: 6px; padding: .75rem 1rem; margin: .75rem 0; break-inside: avoid; }
.critical { border-left-color: var(--critical); } .warning { border-left-color: var(--warning); } .info { border-left-color: var(--info); }
.verdict { font-size: 1.1rem; font-weight: 600; }
pre { overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--line); border-radius: 4px; padding: .5rem; font-size: .85rem; }
table { border-collapse: collapse; font-size: .85rem; } td, th { text-align: left; padding: .1rem .75rem .1rem 0; vertical-align: top; overflow-wrap: anywhere; }
@media print { body { margin: 0; max-width: none; } a { color: inherit; } }`;

const evidence = (one: ReportedFinding) =>
  Object.entries(one.evidence)
    .map(([name, value]) => `<tr><th>${text(name)}</th><td>${text(value ?? 'unknown')}</td></tr>`)
    .join('');

function finding(one: ReportedFinding): string {
  const place = placeOf(one);
  return `<article class="${one.severity}">
<h3>${text(one.title)}${place === '' ? '' : `: ${text(place)}`}</h3>
<p>${text(one.message)}</p>
<p class="quiet">${text(one.meaning)} ${text(one.advice)}</p>
<pre>${text(one.remedy)}</pre>
<p class="quiet">Before: ${text(one.caution)}</p>
<table>${evidence(one)}</table>
<p class="quiet">Proof: ${text(proofOf(one))}. <a href="${text(one.documentation_url)}">PostgreSQL documentation</a></p>
</article>`;
}

export function htmlOf(report: Report): string {
  const { host, port } = report.server;
  const parts = (['critical', 'warning', 'info'] as const).map((severity) => {
    const own = report.findings.filter((one) => one.severity === severity);
    return own.length === 0
      ? ''
      : `<h2>${SEVERITY_TITLES[severity]} (${own.length})</h2>${own.map(finding).join('')}`;
  });
  const unknown = report.unknown.map(
    ({ because, mend, checks }) =>
      `<article><p>${text(because)}</p><p class="quiet">Not judged: ${text(checks.join(', '))}.</p>${mend === null ? '' : `<pre>${text(mend)}</pre>`}</article>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Checkup of ${text(host)}:${port}</title><style>${STYLE}</style></head><body><main>
<h1>Checkup of ${text(host)}:${port}</h1>
<p class="quiet">${text(report.checked_at)} · ${text(report.product)} ${text(report.version)}</p>
<p class="verdict">${text(headline(report))}</p>
<p>${text(serverLine(report))}</p><p>${text(watchedLine(report))}</p><p class="quiet">${text(checksLine(report))}</p>
${parts.join('\n')}
${unknown.length > 0 ? `<h2>What could not be judged</h2>${unknown.join('')}` : ''}
</main></body></html>
`;
}
