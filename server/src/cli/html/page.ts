// A page of HTML that stands by itself: styles within, nothing from elsewhere, no scripts. Guards: every text goes through one function
// that makes it inert; a browser that opens the page asks nobody for anything.
import { htmlText } from '../../kernel/html-text.ts';
import { inertBlock } from '../../kernel/inert-text.ts';

/** HTML that is ready; everything else is escaped when it is put into one. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Html[] | null;

function escaped(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return htmlText(inertBlock(String(part)));
}

/** @example html`<p>${name}</p>` */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(
    strings.map((one, index) => (index === 0 ? one : `${escaped(parts[index - 1] ?? null)}${one}`)).join(''),
  );

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d9dee5, #363c46); --dim: light-dark(#566070, #a3acb9);
  --bad: light-dark(#b3261e, #ff8a80); --warn: light-dark(#8a5300, #ffc46b); --wash: light-dark(#f4f6f9, #1d2229);
  --bar: light-dark(#2f6fde, #6ea3ff); }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px 16px 64px; max-width: 1200px; background: light-dark(#fff, #14181e);
  color: light-dark(#17202c, #e6eaf0); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 22px; margin: 0 0 4px; } h2 { font-size: 17px; margin: 28px 0 8px; } h3 { font-size: 15px; margin: 0; }
p { margin: 4px 0; } .dim { color: var(--dim); }
.card { border: 1px solid var(--line); border-radius: 6px; padding: 10px 14px; margin: 8px 0; background: var(--wash); }
.critical h3 { color: var(--bad); } .warning h3 { color: var(--warn); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { border-bottom: 1px solid var(--line); padding: 5px 10px; text-align: start; vertical-align: top; }
td.n, th.n { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
code, pre { font: 12.5px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap; }
pre { margin: 6px 0; padding: 8px 10px; border: 1px solid var(--line); border-radius: 6px; }
.bar { display: inline-block; width: 60px; height: 8px; border-radius: 4px; background: var(--line); overflow: hidden; margin-inline-end: 8px; }
.bar i { display: block; height: 100%; background: var(--bar); }
.mark { border-radius: 4px; padding: 0 6px; margin-inline-start: 6px; background: var(--wash); color: var(--warn); font-size: 12px; white-space: nowrap; }
`;

/** Nothing is loaded and nothing runs, whatever a text in it says. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

export function htmlPage(title: string, body: Html): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>`;
  return page.text;
}

export interface HtmlColumn {
  title: string;
  isNumber?: boolean;
}

/** A table that scrolls by itself where it is too wide. */
export function htmlTable(
  caption: string,
  columns: readonly HtmlColumn[],
  rows: readonly (readonly (string | number | Html | null)[])[],
): Html {
  const kind = ({ isNumber }: HtmlColumn) => new Html(isNumber ? ' class="n"' : '');
  const head = columns.map((column) => html`<th scope="col"${kind(column)}>${column.title}</th>`);
  const lines = rows.map(
    (row) =>
      html`<tr>${row.map((cell, at) => html`<td${kind(columns[at] ?? { title: '' })}>${cell}</td>`)}</tr>\n`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table>
<thead><tr>${head}</tr></thead>
<tbody>
${lines}</tbody></table></div>`;
}
